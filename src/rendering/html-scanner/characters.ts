/*
 * Character codes and comparisons of the HTML tokenizer. Markup ignores ASCII case only. Unicode case folding would
 * match a Kelvin sign with "k".
 */
export const SPACE = 0x20;
export const GREATER_THAN = 0x3e;
export const EQUALS = 0x3d;
export const SLASH = 0x2f;
export const BANG = 0x21;
export const QUESTION_MARK = 0x3f;
export const DASH = 0x2d;
export const DOUBLE_QUOTE = 0x22;
export const SINGLE_QUOTE = 0x27;

export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Tab, line feed, form feed, carriage return (a line feed in HTML) and space. */
export function isSpace(code: number): boolean {
  return code === SPACE || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
}

/** True for characters that end a tag name or the name of an attribute without a value. */
export function endsName(code: number): boolean {
  return code === GREATER_THAN || code === SLASH || isSpace(code);
}

/** True when `text` contains `lowerCaseName` at index `at`, ignoring ASCII case. */
export function hasNameAt(text: string, at: number, lowerCaseName: string): boolean {
  for (let index = 0; index < lowerCaseName.length; index++) {
    const expected = lowerCaseName.charCodeAt(index);
    const code = text.charCodeAt(at + index);
    if (code !== expected && !(isLetter(expected) && (code | 0x20) === expected)) return false;
  }
  return true;
}
