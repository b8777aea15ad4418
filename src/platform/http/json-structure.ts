const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
/** A quote that is farther away is searched for by Node: the call costs as much as so many bytes here. */
const NEAR_BYTES = 64;

/**
 * Estimates the number of values in a JSON text. Parsing time and memory depend on it rather than on the length.
 * Counts the bytes `{`, `[` and `,` outside of strings; the text need not be valid.
 * @param enough counting stops at this number
 */
export function countJsonValues(json: Buffer, enough: number): number {
  let count = 0;
  for (let at = 0; at < json.length && count < enough; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) count++;
  }
  return count;
}

/** @param start index after the opening quote */
function endOfString(json: Buffer, start: number): number {
  for (let at = start; ;) {
    const end = Math.min(at + NEAR_BYTES, json.length);
    while (at < end && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
    if (at >= json.length || json[at] === QUOTE) return at;
    const quote = json.indexOf(QUOTE, at);
    if (quote === -1) return json.length;
    if (!isEscaped(json, at, quote)) return quote;
    at = quote + 1;
  }
}

/** @param start index at which no escape sequence is open */
function isEscaped(json: Buffer, start: number, quote: number): boolean {
  let first = quote;
  while (first > start && json[first - 1] === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}
