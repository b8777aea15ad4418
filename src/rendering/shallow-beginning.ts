import { BANG, isLetter, SLASH } from './characters.js';
import { commentFrom } from './comment.js';
import { endOfName, endOfTag } from './tag.js';

/** Elements without content, which are never open. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose end tag authors leave out: the next one of the kind closes the one before. */
const CLOSED_BY_NEXT = new Set('dd dt li option p td th tr'.split(' '));

/**
 * The longest beginning of `html` within these limits. Parsers that build trees take quadratic time over deep nesting
 * and recurse over its depth: they get to see only this.
 * @param maxDepth elements open at once
 */
export function shallowBeginning(html: string, maxLength: number, maxDepth: number): string {
  const text = html.slice(0, maxLength);
  const open: string[] = [];
  let start = text.indexOf('<');
  while (start !== -1) {
    const code = text.charCodeAt(start + 1);
    let end = start + 1;
    if (isLetter(code)) {
      const nameEnd = endOfName(text, start + 1);
      end = endOfTag(text, nameEnd);
      opened(open, text.slice(start + 1, nameEnd).toLowerCase());
      if (open.length > maxDepth) return text.slice(0, start);
    } else if (code === SLASH && isLetter(text.charCodeAt(start + 2))) {
      const nameEnd = endOfName(text, start + 2);
      end = endOfTag(text, nameEnd);
      closed(open, text.slice(start + 2, nameEnd).toLowerCase());
    } else if (code === BANG && text.startsWith('--', start + 2)) {
      end = commentFrom(text, start + 4)?.end ?? -1;
    }
    if (end === -1) break;
    start = text.indexOf('<', end);
  }
  return text;
}

function opened(open: string[], name: string): void {
  if (VOID.has(name)) return;
  if (CLOSED_BY_NEXT.has(name) && open[open.length - 1] === name) return;
  open.push(name);
}

function closed(open: string[], name: string): void {
  const index = open.lastIndexOf(name);
  if (index !== -1) open.length = index;
}
