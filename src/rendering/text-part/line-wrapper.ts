import { isSpace, SPACE } from '../html-scanner/characters.js';

const ZERO_WIDTH_SPACE = 0x200b;

/**
 * Wraps words into lines. Whitespace between two words becomes one space or a line break. A word that is longer than a
 * line gets a line of its own. Words with single spaces between them are copied from the text in one piece.
 */
export class LineWrapper {
  /** Finished lines, each with its line break. */
  private lines = '';
  /** The current line without its last word. */
  private head = '';
  /** The last word of the current line: the next text may continue it. Empty only if the line is empty. */
  private last = '';
  /** How many characters fit into the rest of the current line; negative behind a word that is too long. */
  private room: number;
  private endsWithSpace = false;
  private mayBreakWord = false;

  constructor(readonly width: number) {
    this.room = width;
  }

  get isEmpty(): boolean {
    return this.lines === '' && this.last === '';
  }

  /**
   * Adds text whose first word continues the last one, unless there is whitespace between them.
   * @param text not empty
   */
  add(text: string): void {
    const start = endOfSpace(text, 0);
    if (start === text.length) {
      this.endsWithSpace = true;
      return;
    }
    const end = endOfWord(text, start);
    const word = text.slice(start, end);
    if (this.endsWithSpace || start > 0) this.push(word);
    else this.continueWord(word);
    this.pushWords(text, end);
    this.endsWithSpace = isSpaceOfText(text.charCodeAt(text.length - 1));
  }

  /** Ends the current line, and adds `count - 1` empty lines. */
  breakLine(count = 1): void {
    this.lines += joined(this.head, this.last) + '\n'.repeat(count);
    this.head = '';
    this.last = '';
    this.room = this.width;
  }

  /** Lets the next text begin a line if it does not fit behind the last word. */
  allowBreak(): void {
    this.mayBreakWord = true;
  }

  /** Returns the text, and removes it from the wrapper. */
  take(): string {
    const text = this.lines + joined(this.head, this.last);
    this.lines = '';
    this.head = '';
    this.last = '';
    this.room = this.width;
    return text;
  }

  private push(word: string): void {
    if (this.last !== '' && word.length + 1 > this.room) this.breakLine();
    this.room -= word.length + (this.last === '' ? 0 : 1);
    this.head = joined(this.head, this.last);
    this.last = word;
  }

  private continueWord(word: string): void {
    if (this.mayBreakWord && word.length > this.room) {
      this.push(word);
      this.mayBreakWord = false;
      return;
    }
    if (this.head !== '' && word.length > this.room) {
      const whole = this.last + word;
      this.last = '';
      this.breakLine();
      this.push(whole);
      return;
    }
    this.room -= word.length;
    this.last += word;
  }

  /** Adds the words from `start` on, where whitespace follows a word of the current line. */
  private pushWords(text: string, start: number): void {
    // Words that are on the current line, but not yet copied: the first, the last, and the end of the last.
    let [first, last, end] = [-1, -1, start];
    for (let next = endOfSpace(text, start); next < text.length; next = endOfSpace(text, end)) {
      const nextEnd = endOfWord(text, next);
      const length = nextEnd - next;
      if (length + 1 > this.room) {
        this.copy(text, first, last, end);
        this.breakLine();
        this.room -= length;
        first = next;
      } else {
        this.room -= length + 1;
        const isAdjacent = first !== -1 && next === end + 1 && text.charCodeAt(end) === SPACE;
        if (!isAdjacent) {
          this.copy(text, first, last, end);
          first = next;
        }
      }
      last = next;
      end = nextEnd;
    }
    this.copy(text, first, last, end);
  }

  /** Copies words whose lengths `room` already takes into account. */
  private copy(text: string, first: number, last: number, end: number): void {
    if (first === -1) return;
    this.head = joined(this.head, this.last);
    if (last > first) this.head = joined(this.head, text.slice(first, last - 1));
    this.last = text.slice(last, end);
  }
}

/** Text without any whitespace. */
export function withoutSpace(text: string): string {
  let words = '';
  for (let start = endOfSpace(text, 0); start < text.length;) {
    const end = endOfWord(text, start);
    words += text.slice(start, end);
    start = endOfSpace(text, end);
  }
  return words;
}

/** True if the text has a character that is not whitespace. */
export function hasWords(text: string): boolean {
  return endOfSpace(text, 0) < text.length;
}

function joined(line: string, words: string): string {
  return line === '' ? words : words === '' ? line : `${line} ${words}`;
}

function endOfSpace(text: string, start: number): number {
  let end = start;
  while (end < text.length && isSpaceOfText(text.charCodeAt(end))) end++;
  return end;
}

function endOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length && !isSpaceOfText(text.charCodeAt(end))) end++;
  return end;
}

function isSpaceOfText(code: number): boolean {
  return isSpace(code) || code === ZERO_WIDTH_SPACE;
}
