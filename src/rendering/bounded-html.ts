import { cutText } from './cut-text.js';
import { BANG, isLetter, QUESTION_MARK, SLASH } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { ForeignContent } from './html-scanner/foreign-content.js';
import { endOfRawTextElement } from './html-scanner/raw-text.js';
import { endOfName, endOfTag } from './html-scanner/tag.js';

export interface HtmlLimits {
  readonly maxLength: number;
  /** Maximum nesting depth. Elements of HEAVY count as ten. */
  readonly maxDepth: number;
  /** Longer tags are dropped, because they contain an inline image and no text. */
  readonly maxTagLength: number;
}

/** Elements whose content no reader sees. It may look like markup, but only their own end tag is markup in it. */
const INVISIBLE = new Set('iframe noembed noframes script style title'.split(' '));
/** Elements whose content is text, too, but visible. */
const RAW_TEXT = new Set(['plaintext', 'textarea', 'xmp']);
/** Elements without content, which do not nest. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose end tag authors often omit. The next element of the same name closes them. */
const CLOSED_BY_NEXT = new Set('dd dt li option p td th tr'.split(' '));
/** Each level adds markup to all lines inside these elements, or collects their words again. */
const HEAVY = new Set('a blockquote dl ol ul'.split(' '));
const HEAVY_WEIGHT = 10;

/**
 * Returns the beginning of `html` within these limits, without comments, titles, scripts and styles. Tree-building
 * parsers take quadratic time and recurse for deep nesting, so they get only this part.
 */
export function boundedHtml(html: string, limits: HtmlLimits): { html: string; isWhole: boolean } {
  const parts: string[] = [];
  const open = new OpenElements();
  let length = 0;
  let copied = 0;
  for (let start = html.indexOf('<'); start !== -1; start = html.indexOf('<', copied)) {
    const { end, isKept } = markupAt(html, start, open, limits.maxTagLength);
    const part = html.slice(copied, isKept ? end : start);
    if (open.depth > limits.maxDepth || length + part.length > limits.maxLength) {
      parts.push(cutText(html.slice(copied, start), limits.maxLength - length));
      return { html: parts.join(''), isWhole: false };
    }
    length += part.length;
    parts.push(part);
    copied = end;
  }
  const rest = html.slice(copied);
  parts.push(cutText(rest, limits.maxLength - length));
  return { html: parts.join(''), isWhole: length + rest.length <= limits.maxLength };
}

/** Reads one tag, comment or stray "<". Returns the index after it, and whether to keep it. Drops truncated markup. */
function markupAt(
  html: string,
  start: number,
  open: OpenElements,
  maxTagLength: number,
): { end: number; isKept: boolean } {
  const code = html.charCodeAt(start + 1);
  if (code === BANG && html.startsWith('--', start + 2)) {
    return { end: commentFrom(html, start + 4)?.end ?? html.length, isKept: false };
  }
  if (isBogusComment(html, start, open.isInPicture)) {
    const close = html.indexOf('>', start + 2);
    return { end: close === -1 ? html.length : close + 1, isKept: false };
  }
  const isEndTag = code === SLASH && isLetter(html.charCodeAt(start + 2));
  if (!isEndTag && !isLetter(code)) return { end: start + 1, isKept: true };
  const nameStart = start + (isEndTag ? 2 : 1);
  const nameEnd = endOfName(html, nameStart);
  const end = endOfTag(html, nameEnd);
  if (end === -1) return { end: html.length, isKept: false };
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  const isSelfClosing = html[end - 2] === '/';
  if (!isEndTag && (INVISIBLE.has(name) || RAW_TEXT.has(name))) {
    if (isSelfClosing && open.isInPicture) return { end, isKept: false };
    const elementEnd = endOfRawTextElement(html, end, name);
    return { end: elementEnd === -1 ? html.length : elementEnd, isKept: !INVISIBLE.has(name) };
  }
  if (end - start > maxTagLength) return { end, isKept: false };
  if (isEndTag) open.close(name);
  else open.open(name, isSelfClosing);
  return { end, isKept: true };
}

/**
 * True for a document type, an instruction, or a CDATA section outside of a picture: they end at the next ">", while
 * the parser would drop the text up to "]]>" (WHATWG HTML 13.2.5.41 and 13.2.5.42).
 */
function isBogusComment(html: string, start: number, isInPicture: boolean): boolean {
  const code = html.charCodeAt(start + 1);
  return code === QUESTION_MARK || (code === BANG && !(isInPicture && html.startsWith('[CDATA[', start + 2)));
}

class OpenElements {
  depth = 0;
  private readonly names: string[] = [];
  private readonly foreign = new ForeignContent();

  /** In SVG and MathML, a tag may close itself. In HTML, it only looks as if it did. */
  get isInPicture(): boolean {
    return this.foreign.isHere;
  }

  open(name: string, isSelfClosing: boolean): void {
    if (this.foreign.isOpen || ForeignContent.startsWith(name)) this.foreign.startTag(name, isSelfClosing);
    if (VOID.has(name)) return;
    if (CLOSED_BY_NEXT.has(name) && this.names[this.names.length - 1] === name) return;
    this.names.push(name);
    this.depth += weightOf(name);
  }

  close(name: string): void {
    if (this.foreign.isOpen) this.foreign.endTag(name);
    const index = this.names.lastIndexOf(name);
    if (index === -1) return;
    for (const closed of this.names.splice(index)) this.depth -= weightOf(closed);
  }
}

function weightOf(name: string): number {
  return HEAVY.has(name) ? HEAVY_WEIGHT : 1;
}
