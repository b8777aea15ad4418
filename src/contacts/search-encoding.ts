/** Every sign beside letters and digits that a stored address can have (see emails/mailbox.ts). */
const SIGNS = "@.!#$%&'*+/=?^_`{|}~-";
/** The letters that stand for them in `contact_search`; the SQL function search_letters says the same. */
const SIGN_LETTERS = 'αβγδεζηθικλμνξοπρστυφ';
const END_LETTER = 'ω';
const OTHER_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LETTERS = `${OTHER_LETTERS}${SIGN_LETTERS}${END_LETTER}`;
/** What almost every address has; anything else is a word of its own, too. */
const COMMON_LETTERS = 'abcdefghilmnoprstuαβ';
const TRIGRAM = 3;

/**
 * The part of an address as it is searched for; undefined when no address can contain it, because it has a
 * character that addresses do not have.
 */
export function searchLetters(part: string): string | undefined {
  let letters = '';
  for (const character of part.toLowerCase()) {
    const sign = SIGNS.indexOf(character);
    if (sign < 0 && !OTHER_LETTERS.includes(character)) return undefined;
    letters += sign < 0 ? character : SIGN_LETTERS[sign]!;
  }
  return letters;
}

/** How the index is asked for letters: an operator of text and a pattern, in which no letter has another meaning. */
export function trigramCondition(letters: string): { operator: 'like' | '~'; pattern: string } | undefined {
  if (letters.length >= TRIGRAM) return { operator: 'like', pattern: `%${letters}%` };
  if (letters.length === TRIGRAM - 1) return { operator: '~', pattern: `${letters}[${LETTERS}]` };
  return COMMON_LETTERS.includes(letters) ? undefined : { operator: 'like', pattern: `% ${letters} %` };
}
