import { DOUBLE_QUOTE, endsName, EQUALS, GREATER_THAN, isSpace, SINGLE_QUOTE, SLASH, SPACE } from './characters.js';

/** Returns the index after the tag name that starts at `at`. */
export function endOfName(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= GREATER_THAN && endsName(code)) return at;
    at++;
  }
  return at;
}

/**
 * Returns the index after the ">" that ends a tag, or -1 if the tag is truncated. A ">" inside a quoted value does not
 * end it. A value can be quoted only directly after "=".
 * @param at the index after the tag name
 */
export function endOfTag(text: string, at: number): number {
  // "=" starts a value only after a name. Elsewhere it is the first character of a name.
  let named = false;
  while (at < text.length) {
    const code = text.charCodeAt(at++);
    // Letters and spaces first, because most characters here belong to attribute names and indentation.
    if (code > GREATER_THAN) {
      named = true;
    } else if (code !== SPACE) {
      if (code === GREATER_THAN) return at;
      if (code === EQUALS && named) {
        at = endOfValue(text, at);
        if (at === -1) return -1;
        named = false;
      } else if (code === SLASH) {
        named = false;
      } else if (!isSpace(code)) {
        named = true;
      }
    }
  }
  return -1;
}

/** @param at the index after "=" */
function endOfValue(text: string, at: number): number {
  let code = text.charCodeAt(at);
  while (isSpace(code)) code = text.charCodeAt(++at);
  if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE) return endOfUnquoted(text, at);
  const end = text.indexOf(code === DOUBLE_QUOTE ? '"' : "'", at + 1);
  return end === -1 ? -1 : end + 1;
}

/** Returns the index after an unquoted value. */
export function endOfUnquoted(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === GREATER_THAN || isSpace(code)) return at;
    at++;
  }
  return at;
}
