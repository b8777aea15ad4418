import { BANG, DASH, GREATER_THAN, hasNameAt } from './characters.js';

/** A comment: the index after it and the end of its data, before "-->". */
export interface Comment {
  readonly end: number;
  readonly dataEnd: number;
}

/**
 * Reads the comment whose data starts at `at`, after "<!--" (WHATWG HTML 13.2.5.43 to 13.2.5.52). Undefined if the
 * comment never ends.
 */
export function commentFrom(text: string, at: number): Comment | undefined {
  if (text.charCodeAt(at) === GREATER_THAN) return { end: at + 1, dataEnd: at };
  if (text.charCodeAt(at) === DASH && text.charCodeAt(at + 1) === GREATER_THAN) return { end: at + 2, dataEnd: at };
  for (let dashes = text.indexOf('--', at); dashes !== -1; dashes = text.indexOf('--', dashes + 1)) {
    const code = text.charCodeAt(dashes + 2);
    if (code === GREATER_THAN) return { end: dashes + 3, dataEnd: dashes };
    if (code === BANG && text.charCodeAt(dashes + 3) === GREATER_THAN) return { end: dashes + 4, dataEnd: dashes };
  }
  return undefined;
}

/**
 * Returns the start of the content of a conditional comment "[if ...]>content", or -1 for an ordinary comment.
 * @param at the start of the comment's data
 * @param end the end of the comment's data
 */
export function conditionalContentStart(text: string, at: number, end: number): number {
  if (!hasNameAt(text, at, '[if')) return -1;
  for (let index = at + 3; index < end - 1; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5d) return text.charCodeAt(index + 1) === GREATER_THAN ? index + 2 : -1;
    if (code === GREATER_THAN) return -1;
  }
  return -1;
}
