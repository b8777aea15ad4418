import { readAttributes, type Attributes } from './attributes.js';
import { BANG, hasNameAt, isLetter, QUESTION_MARK, SLASH } from './characters.js';
import { commentFrom, conditionalContentStart } from './comment.js';
import { ForeignContent } from './foreign-content.js';
import { endOfRawTextElement, RAW_TEXT_ELEMENTS } from './raw-text.js';
import { endOfName, endOfTag } from './tag.js';

/**
 * Called for each tag that may contain a link, with the values of the wanted attributes. `offset` is the index in the
 * document that their indices are relative to.
 */
export type LinkTagListener = (values: Attributes['values'], offset: number) => void;

const RAW_TEXT: ReadonlySet<string> = new Set(RAW_TEXT_ELEMENTS);
const VML = /^v:/;
const UPPER_CASE = /[A-Z]/;
const UPPER_CASE_RUNS = /[A-Z]+/g;
/** Most markup for Outlook only has tables. One search shows that it contains no link. */
const HREF = /href/i;

/**
 * Most tags of an email are irrelevant. The first two characters of a name show that without creating a string: this
 * table marks the (first letter, second character) pairs of relevant names.
 */
const RELEVANT_PREFIXES = new Uint8Array(32 * 128);
for (const name of [...RAW_TEXT, 'area', 'v:', 'svg', 'math']) mark(name.charCodeAt(0), name.charCodeAt(1));
for (const end of '\t\n\f\r />') mark('a'.charCodeAt(0), end.charCodeAt(0));

function mark(first: number, second: number): void {
  RELEVANT_PREFIXES[(first & 0x1f) * 128 + second] = 1;
  if (isLetter(second)) RELEVANT_PREFIXES[(first & 0x1f) * 128 + (second & ~0x20)] = 1;
}

function isRelevantPrefix(text: string, nameStart: number): boolean {
  const second = text.charCodeAt(nameStart + 1);
  return second < 128 && RELEVANT_PREFIXES[(text.charCodeAt(nameStart) & 0x1f) * 128 + second] === 1;
}

/**
 * Scans HTML by the tokenizer rules of WHATWG HTML 13.2.5, in one pass and without a tree. It reads every character a
 * constant number of times, regardless of nesting. Scanning stops at a truncated token at the end.
 */
export class LinkScanner {
  /** Start of the last `</body>`, or -1. */
  lastBodyEnd = -1;
  /** The end of the document, or the start of a truncated tag, comment or raw text element. */
  contentEnd: number;
  /** Undefined until the first SVG or MathML element, because most documents have none. */
  private foreign: ForeignContent | undefined;
  private conditional: boolean;

  /**
   * @param text the document, or the content of a conditional comment
   * @param wanted names of the attributes passed to `onLinkTag`, in lower case
   * @param offset index of `text` in the document
   */
  constructor(
    private readonly text: string,
    private readonly wanted: readonly string[],
    private readonly onLinkTag: LinkTagListener,
    private readonly offset = 0,
  ) {
    this.contentEnd = text.length;
    this.conditional = offset > 0;
  }

  scan(): void {
    const { text } = this;
    let start = text.indexOf('<');
    while (start !== -1) {
      const code = text.charCodeAt(start + 1);
      let end: number;
      if (isLetter(code)) end = this.startTag(start);
      else if (code === SLASH) end = this.endTag(start);
      else if (code === BANG) end = this.declaration(start);
      else if (code === QUESTION_MARK) end = this.bogusComment(start);
      else end = start + 1;
      if (end === -1) return;
      start = text.indexOf('<', end);
    }
  }

  private truncatedAt(start: number): -1 {
    this.contentEnd = start;
    return -1;
  }

  private startTag(start: number): number {
    const { text, foreign } = this;
    const nameEnd = endOfName(text, start + 1);
    const isRelevant = foreign !== undefined || isRelevantPrefix(text, start + 1);
    const name = isRelevant ? asciiLowerCase(text.slice(start + 1, nameEnd)) : '';
    if (isRelevant && this.mayHoldLink(name)) return this.linkTag(start, nameEnd);
    const end = endOfTag(text, nameEnd);
    if (end === -1) return this.truncatedAt(start);
    if (!isRelevant) return end;
    const isForeign = foreign?.isHere === true;
    if (foreign !== undefined || ForeignContent.startsWith(name)) {
      (this.foreign ??= new ForeignContent()).startTag(name, text[end - 2] === '/');
    }
    if (isForeign || !RAW_TEXT.has(name)) return end;
    const elementEnd = endOfRawTextElement(text, end, name);
    return elementEnd === -1 ? this.truncatedAt(start) : elementEnd;
  }

  private mayHoldLink(name: string): boolean {
    return name === 'a' || name === 'area' || (this.conditional && VML.test(name));
  }

  private linkTag(start: number, nameEnd: number): number {
    const { end, values } = readAttributes(this.text, nameEnd, this.wanted);
    if (end === -1) return this.truncatedAt(start);
    this.onLinkTag(values, this.offset);
    return end;
  }

  private endTag(start: number): number {
    const { text, foreign } = this;
    if (!isLetter(text.charCodeAt(start + 2))) return this.bogusComment(start);
    const nameEnd = endOfName(text, start + 2);
    const end = endOfTag(text, nameEnd);
    if (end === -1) return this.truncatedAt(start);
    if (foreign?.isOpen) foreign.endTag(asciiLowerCase(text.slice(start + 2, nameEnd)));
    else if (nameEnd === start + 6 && hasNameAt(text, start + 2, 'body')) this.lastBodyEnd = start;
    return end;
  }

  /** A comment, document type, CDATA section, or one half of a downlevel-revealed conditional comment. */
  private declaration(start: number): number {
    const { text } = this;
    if (text.startsWith('--', start + 2)) return this.comment(start);
    if (this.foreign?.isHere && text.startsWith('[CDATA[', start + 2)) {
      const end = text.indexOf(']]>', start + 9);
      // Nothing may be inserted before it, because the content of the SVG would become HTML.
      return end === -1 ? this.truncatedAt(text.length) : end + 3;
    }
    if (hasNameAt(text, start + 2, '[if')) this.conditional = true;
    else if (hasNameAt(text, start + 2, '[endif')) this.conditional = this.offset > 0;
    return this.bogusComment(start);
  }

  private comment(start: number): number {
    const { text } = this;
    const comment = commentFrom(text, start + 4);
    const dataEnd = comment?.dataEnd ?? text.length;
    const contentStart = this.offset > 0 ? -1 : conditionalContentStart(text, start + 4, dataEnd);
    if (contentStart !== -1) {
      const content = text.slice(contentStart, dataEnd);
      if (content === '' || content === '<!') this.conditional = true;
      else if (HREF.test(content)) new LinkScanner(content, this.wanted, this.onLinkTag, contentStart).scan();
    } else if (hasNameAt(text, start + 4, '<![endif]')) {
      this.conditional = this.offset > 0;
    }
    return comment?.end ?? this.truncatedAt(start);
  }

  private bogusComment(start: number): number {
    const end = this.text.indexOf('>', start + 2) + 1;
    return end === 0 ? this.truncatedAt(start) : end;
  }
}

function asciiLowerCase(name: string): string {
  return UPPER_CASE.test(name) ? name.replace(UPPER_CASE_RUNS, (letters) => letters.toLowerCase()) : name;
}
