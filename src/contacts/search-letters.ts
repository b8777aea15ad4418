/** Every sign beside letters and digits that a stored address can have (see emails/mailbox.ts). */
const SIGNS = "@.!#$%&'*+/=?^_`{|}~-";
/** The letters that stand for them in `contact_search`; the SQL function search_letters says the same. */
const SIGN_LETTERS = 'αβγδεζηθικλμνξοπρστυφ';
const END_LETTER = 'ω';
const OTHER_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LETTERS = `${OTHER_LETTERS}${SIGN_LETTERS}${END_LETTER}`;
const TRIGRAM = 3;

/**
 * The part of an address as it is searched for; undefined when no address can contain it, because it has a
 * character that addresses do not have.
 */
export function searchLetters(part: string): string | undefined {
  let letters = '';
  for (const character of part.toLowerCase()) {
    const sign = SIGNS.indexOf(character);
    const letter = sign < 0 ? character : SIGN_LETTERS[sign]!;
    if (!OTHER_LETTERS.includes(letter) && sign < 0) return undefined;
    letters += letter;
  }
  return letters;
}

/**
 * Regular expressions of which one matches wherever the letters stand, each of them made of whole trigrams, so that
 * the index can answer it. Neither the letters nor those that are put in have a meaning of their own in it.
 */
export function trigramPatterns(letters: string): string[] {
  if (letters.length >= TRIGRAM) return [letters];
  if (letters.length === TRIGRAM - 1) return [`${letters}[${LETTERS}]`];
  return [...LETTERS].map((second) => `${letters}${second}[${LETTERS}]`);
}
