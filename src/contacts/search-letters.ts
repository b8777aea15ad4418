/** Every sign beside letters and digits that a stored address can have (see emails/mailbox.ts). */
const SIGNS = "@.!#$%&'*+/=?^_`{|}~-";
/** The letters that stand for them in `contact_search`; the SQL function search_letters says the same. */
const SIGN_LETTERS = 'αβγδεζηθικλμνξοπρστυφ';
const END_LETTER = 'ω';
const OTHER_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LETTERS = `${OTHER_LETTERS}${SIGN_LETTERS}${END_LETTER}`;
const TRIGRAM = 3;
/** The index looks at no more than 256 trigrams of one expression. */
const SECOND_LETTERS = Math.floor(256 / LETTERS.length);

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
 * An operator of text and an array of patterns of which one matches wherever the letters stand. All are made of whole
 * trigrams, so that the index can answer them. No letter has a meaning of its own in them.
 */
export function trigramCondition(letters: string): { operator: 'like' | '~'; patterns: string[] } {
  // Comparing is half the work, and a regular expression takes twice as long to compare.
  if (letters.length >= TRIGRAM) return { operator: 'like', patterns: [`%${letters}%`] };
  if (letters.length === TRIGRAM - 1) return { operator: '~', patterns: [`${letters}[${LETTERS}]`] };
  const patterns: string[] = [];
  for (let from = 0; from < LETTERS.length; from += SECOND_LETTERS)
    patterns.push(`${letters}[${LETTERS.slice(from, from + SECOND_LETTERS)}][${LETTERS}]`);
  return { operator: '~', patterns };
}
