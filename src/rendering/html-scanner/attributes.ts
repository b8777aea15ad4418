import { DOUBLE_QUOTE, endsName, EQUALS, GREATER_THAN, hasNameAt, isSpace, SINGLE_QUOTE, SLASH } from './characters.js';
import { endOfUnquoted } from './tag.js';

/** The position of an attribute's value, without its quotes. */
export interface AttributeValue {
  readonly start: number;
  readonly end: number;
  /** "" for an unquoted value. */
  readonly quote: '"' | "'" | '';
}

export interface Attributes {
  /** The index after the tag's ">", or -1 if the tag is truncated. */
  readonly end: number;
  /** In the order of the wanted names. An attribute without a value has an empty one. */
  readonly values: readonly (AttributeValue | undefined)[];
}

/**
 * Reads a tag like `endOfTag` and collects the wanted attributes. The first attribute of a name counts, as in a
 * browser.
 * @param at the index after the tag name
 * @param wanted names in lower case
 */
export function readAttributes(text: string, at: number, wanted: readonly string[]): Attributes {
  const values = new Array<AttributeValue | undefined>(wanted.length).fill(undefined);
  let code = text.charCodeAt(at);
  for (;;) {
    while (code === SLASH || isSpace(code)) code = text.charCodeAt(++at);
    if (code === GREATER_THAN) return { end: at + 1, values };
    if (at >= text.length) return { end: -1, values };
    const nameStart = at;
    // The first character always belongs to the name.
    do code = text.charCodeAt(++at);
    while (code > GREATER_THAN || (at < text.length && code !== EQUALS && !endsName(code)));
    const index = indexOfName(text, nameStart, at, wanted);
    let value: AttributeValue = { start: at, end: at, quote: '' };
    while (isSpace(code)) code = text.charCodeAt(++at);
    if (code === EQUALS) {
      value = valueFrom(text, at + 1);
      if (value.end === -1) return { end: -1, values };
      at = value.end + value.quote.length;
      code = text.charCodeAt(at);
    }
    if (index !== -1) values[index] ??= value;
  }
}

/** @returns an end of -1 when the closing quote is missing */
function valueFrom(text: string, at: number): AttributeValue {
  let code = text.charCodeAt(at);
  while (isSpace(code)) code = text.charCodeAt(++at);
  if (code === DOUBLE_QUOTE) return { start: at + 1, end: text.indexOf('"', at + 1), quote: '"' };
  if (code === SINGLE_QUOTE) return { start: at + 1, end: text.indexOf("'", at + 1), quote: "'" };
  return { start: at, end: endOfUnquoted(text, at), quote: '' };
}

function indexOfName(text: string, start: number, end: number, wanted: readonly string[]): number {
  for (let index = 0; index < wanted.length; index++) {
    const name = wanted[index]!;
    if (name.length === end - start && hasNameAt(text, start, name)) return index;
  }
  return -1;
}
