import { parseDocument } from 'htmlparser2';
import { boundedHtml, type HtmlLimits } from '../bounded-html.js';
import { cutText } from '../cut-text.js';
import { ELLIPSIS, TextWalker } from './text-walker.js';

/** More HTML than Gmail shows before it clips a message, even without counting comments, styles and large images. */
export const TEXT_LIMITS: HtmlLimits = { maxLength: 128 * 1024, maxDepth: 250, maxTagLength: 16 * 1024 };
/**
 * Twice as long as the HTML may be. Bounds the output, because a rule becomes a whole line of text, and each line in
 * nested lists and quotes begins with the markup of every level.
 */
const MAX_TEXT_LENGTH = 256 * 1024;
/** `boundedHtml` already limits the depth. This second limit protects the recursion, with a margin of two. */
const MAX_TREE_DEPTH = 2 * TEXT_LIMITS.maxDepth;

/**
 * Creates the text/plain part of an email: the visible text, with each link followed by its URL.
 * Converts only the beginning of HTML that is longer or nested deeper than any real email.
 * @param html the original HTML, before its links are tracked
 */
export function textPartOf(html: string): string {
  const bounded = boundedHtml(html, TEXT_LIMITS);
  const walker = new TextWalker(MAX_TREE_DEPTH);
  const text = walker.textOf(parseDocument(bounded.html).children, MAX_TEXT_LENGTH);
  if (bounded.isWhole && text.length <= MAX_TEXT_LENGTH) return text.trim();
  return `${cutText(text, MAX_TEXT_LENGTH).trim()}\n${ELLIPSIS}`;
}
