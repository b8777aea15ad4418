import { DOUBLE_QUOTE, endsName, EQUALS, GREATER_THAN, hasNameAt, isSpace, SINGLE_QUOTE, SLASH } from './characters.js';

/** The index after the tag name that starts at `at`. */
export function endOfName(text: string, at: number): number {
  while (at < text.length && !endsName(text.charCodeAt(at))) at++;
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
    if (code === GREATER_THAN) return at;
    if (code === EQUALS && named) {
      while (isSpace(text.charCodeAt(at))) at++;
      const quote = text.charCodeAt(at);
      if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
        at = text.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", at + 1) + 1;
        if (at === 0) return -1;
      } else {
        at = endOfUnquoted(text, at);
      }
      named = false;
    } else if (code === SLASH) {
      named = false;
    } else if (!isSpace(code)) {
      named = true;
    }
  }
  return -1;
}

function endOfUnquoted(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === GREATER_THAN || isSpace(code)) return at;
    at++;
  }
  return at;
}

/** Where an attribute's value stands, without its quotes. `quote` is "" for an unquoted value. */
export interface AttributeValue {
  readonly start: number;
  readonly end: number;
  readonly quote: '"' | "'" | '';
}

/**
 * Finds attributes of one complete tag by name; of several with one name the first counts, as in a browser.
 * @param at the index after the tag name
 * @param tagEnd the index after the tag's ">"
 * @param lowerCaseNames what to look for
 * @returns the values in the order of the names; an attribute without a value has an empty one
 */
export function findAttributes(
  text: string,
  at: number,
  tagEnd: number,
  lowerCaseNames: readonly string[],
): (AttributeValue | undefined)[] {
  const found = new Array<AttributeValue | undefined>(lowerCaseNames.length).fill(undefined);
  const last = tagEnd - 1;
  while (at < last) {
    const first = text.charCodeAt(at);
    if (first === SLASH || isSpace(first)) {
      at++;
      continue;
    }
    const nameStart = at++;
    while (at < last && text.charCodeAt(at) !== EQUALS && !endsName(text.charCodeAt(at))) at++;
    const nameEnd = at;
    while (at < last && isSpace(text.charCodeAt(at))) at++;
    const value =
      text.charCodeAt(at) === EQUALS ? valueAfter(text, at + 1) : { start: nameEnd, end: nameEnd, quote: '' as const };
    if (text.charCodeAt(at) === EQUALS) at = value.end + value.quote.length;
    const wanted = indexOfName(text, nameStart, nameEnd, lowerCaseNames);
    if (wanted !== -1) found[wanted] ??= value;
  }
  return found;
}

function valueAfter(text: string, at: number): AttributeValue {
  while (isSpace(text.charCodeAt(at))) at++;
  const quote = text[at];
  if (quote === '"' || quote === "'") return { start: at + 1, end: text.indexOf(quote, at + 1), quote };
  return { start: at, end: endOfUnquoted(text, at), quote: '' };
}

function indexOfName(text: string, start: number, end: number, lowerCaseNames: readonly string[]): number {
  for (let index = 0; index < lowerCaseNames.length; index++) {
    const name = lowerCaseNames[index]!;
    if (name.length === end - start && hasNameAt(text, start, name)) return index;
  }
  return -1;
}
