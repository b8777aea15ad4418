/*
 * Character codes and comparisons of HTML's tokenizer. Markup is matched by ASCII case only: Unicode's rules would
 * take a Kelvin sign for a "k".
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

/** Tab, line feed, form feed, carriage return (which HTML reads as a line feed) and space. */
export function isSpace(code: number): boolean {
  return code === SPACE || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
}

/** What ends a tag name and an attribute name that has no value. */
export function endsName(code: number): boolean {
  return code === GREATER_THAN || code === SLASH || isSpace(code);
}

/** Whether `lowerCaseName` stands at `at`, in any ASCII case. */
export function hasNameAt(text: string, at: number, lowerCaseName: string): boolean {
  for (let index = 0; index < lowerCaseName.length; index++) {
    const expected = lowerCaseName.charCodeAt(index);
    const code = text.charCodeAt(at + index);
    if (code !== expected && !(isLetter(expected) && (code | 0x20) === expected)) return false;
  }
  return true;
}
