import { LaidOutText, type LineMarkup } from './laid-out-text.js';
import { hasWords, LineWrapper, withoutSpace } from './line-wrapper.js';

/** Narrower columns than this would be unreadable, however deep they are nested. */
const MIN_WIDTH = 20;

export interface BlockOptions {
  /** Line breaks that at least separate the block from what precedes it. */
  readonly leadingBreaks: number;
  /** Characters that markup takes from each line. */
  readonly reserved?: number;
  /** Keeps whitespace and long lines as they are. */
  readonly isPreformatted?: boolean;
}

interface Block {
  readonly parent: Block | undefined;
  leadingBreaks: number;
  readonly isPreformatted: boolean;
  readonly wrapper: LineWrapper;
  /** Text that wraps no more: preformatted text and blocks that ended. */
  readonly text: LaidOutText;
  /** Line breaks that at least separate the last ended block from what follows. */
  pendingBreaks: number;
}

/** Collects the words of a link. */
interface Collector {
  readonly outer: Collector | undefined;
  words: string;
}

/** Lays out nested blocks: each wraps its own text, and its parent adds it as a whole when it ends. */
export class TextBlocks {
  private current: Block;
  private collector: Collector | undefined;

  constructor(width: number) {
    this.current = newBlock(undefined, width, 0, false);
  }

  /** @param isCollected false for text that is not part of a link's words, such as its URL */
  addText(text: string, isCollected = true): void {
    const { current } = this;
    if (current.isPreformatted) {
      current.text.add(text);
      if (isCollected && this.collector) this.collect(withoutSpace(text));
      return;
    }
    // After a block, whitespace is irrelevant.
    if (text === '' || (current.pendingBreaks > 0 && !hasWords(text))) return;
    if (current.pendingBreaks > 0) current.wrapper.breakLine(current.pendingBreaks);
    current.pendingBreaks = 0;
    current.wrapper.add(text);
    if (isCollected && this.collector) this.collect(withoutSpace(text));
  }

  /** Adds an address that nothing beside it may continue. In preformatted text, whitespace is the author's. */
  addApart(address: string): void {
    this.addText(this.current.isPreformatted ? address : ` ${address} `, false);
  }

  breakLine(): void {
    if (this.current.isPreformatted) this.current.text.add('\n');
    else this.current.wrapper.breakLine();
  }

  /** Lets a line end here if the text that follows would not fit. */
  allowBreak(): void {
    this.current.wrapper.allowBreak();
  }

  open({ leadingBreaks, reserved = 0, isPreformatted = false }: BlockOptions): void {
    const width = Math.max(MIN_WIDTH, this.current.wrapper.width - reserved);
    this.current = newBlock(this.current, width, leadingBreaks, isPreformatted || this.current.isPreformatted);
  }

  /** @param markup of the lines of the block */
  close(trailingBreaks: number, markup?: LineMarkup): void {
    const block = this.leave();
    const text = textOf(block);
    if (markup) text.mark(markup);
    this.append(text, block.leadingBreaks, Math.max(block.pendingBreaks, trailingBreaks));
  }

  /** Without the line breaks at its ends. */
  closeTrimmed(trailingBreaks: number, markup: LineMarkup): void {
    textOf(this.current).trim();
    this.close(trailingBreaks, markup);
  }

  /** Items are opened and closed as blocks in it. */
  openList(leadingBreaks: number): void {
    const { wrapper, isPreformatted } = this.current;
    this.current = newBlock(this.current, wrapper.width, leadingBreaks, isPreformatted);
  }

  /** A list without text leaves no lines. */
  closeList(trailingBreaks: number): void {
    const list = this.leave();
    const text = textOf(list);
    if (!text.isEmpty) this.append(text, list.leadingBreaks, trailingBreaks);
  }

  /** Returns the words, without whitespace, that `add` adds. */
  collectWords(add: () => void): string {
    const collector = { outer: this.collector, words: '' };
    this.collector = collector;
    add();
    this.collector = collector.outer;
    return collector.words;
  }

  /** The text, once every block is closed: at most `maxLength` + 1 characters. */
  toString(maxLength?: number): string {
    return textOf(this.current).toString(maxLength);
  }

  private collect(words: string): void {
    for (let collector = this.collector; collector; collector = collector.outer) collector.words += words;
  }

  private leave(): Block {
    const block = this.current;
    this.current = block.parent!;
    return block;
  }

  /** Adds the text of a block that ended to its parent. */
  private append(text: LaidOutText, leadingBreaks: number, trailingBreaks: number): void {
    const { current } = this;
    const before = textOf(current);
    const breaks = Math.max(current.pendingBreaks, leadingBreaks);
    if (before.isEmpty) current.leadingBreaks = breaks;
    else before.add('\n'.repeat(breaks));
    before.add(text);
    current.pendingBreaks = trailingBreaks;
  }
}

function newBlock(parent: Block | undefined, width: number, leadingBreaks: number, isPreformatted: boolean): Block {
  return {
    parent,
    leadingBreaks,
    isPreformatted,
    wrapper: new LineWrapper(width),
    text: new LaidOutText(),
    pendingBreaks: 0,
  };
}

/** The text of a block so far, which then is text that wraps no more. */
function textOf(block: Block): LaidOutText {
  if (!block.wrapper.isEmpty) block.text.add(block.wrapper.take());
  return block.text;
}
