/** True if a text contains another one, in upper or lower case. Both are SQL. */
export function containsText(text: string, part: string): string {
  return `strpos(${caseless(text)}, ${caseless(part)}) > 0`;
}

/**
 * A text without case. Postgres converts both texts: JavaScript has other rules for some letters. The Greek sigma at
 * the end of a word has a letter of its own, which only some collations choose.
 */
function caseless(text: string): string {
  return `translate(lower(${text}), 'ς', 'σ')`;
}
