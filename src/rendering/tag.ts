import { DOUBLE_QUOTE, endsName, EQUALS, GREATER_THAN, isSpace, SINGLE_QUOTE, SLASH, SPACE } from './characters.js';

/** The index after the tag name that starts at `at`. */
export function endOfName(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= GREATER_THAN && endsName(code)) return at;
    at++;
  }
  return at;
}

/**
 * The index after the ">" that ends a tag, or -1 if the tag is cut off. A ">" inside a quoted value does not end it,
 * and a quote is one only after "=".
 * @param at the index after the tag name
 */
export function endOfTag(text: string, at: number): number {
  // "=" starts a value only after a name; elsewhere it is the first character of a name.
  let named = false;
  while (at < text.length) {
    const code = text.charCodeAt(at++);
    // Letters and blanks first: most of what is looked at here are names of attributes and indents.
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

/** The index after an unquoted value. */
export function endOfUnquoted(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === GREATER_THAN || isSpace(code)) return at;
    at++;
  }
  return at;
}
