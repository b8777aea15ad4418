/** All characters except letters and digits that a stored address can contain (see emails/mailbox.ts). */
const SIGNS = "@.!#$%&'*+/=?^_`{|}~-";
/** Letters that encode them in `contact_search`. Must match the SQL function search_letters. */
const SIGN_LETTERS = 'αβγδεζηθικλμνξοπρστυφ';
const END_LETTER = 'ω';
const OTHER_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LETTERS = `${OTHER_LETTERS}${SIGN_LETTERS}${END_LETTER}`;
/** Letters that almost every address contains. Every other letter is also stored as a word of its own. */
const COMMON_LETTERS = 'abcdefghilmnoprstuαβ';
const TRIGRAM = 3;

/**
 * Encodes part of an address for the search. Undefined when the part has a character that no address can contain.
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

/** The index condition for encoded letters: a text operator and a pattern. Encoded letters need no escaping in it. */
export function trigramCondition(letters: string): { operator: 'like' | '~'; pattern: string } | undefined {
  if (letters.length >= TRIGRAM) return { operator: 'like', pattern: `%${letters}%` };
  if (letters.length === TRIGRAM - 1) return { operator: '~', pattern: `${letters}[${LETTERS}]` };
  return COMMON_LETTERS.includes(letters) ? undefined : { operator: 'like', pattern: `% ${letters} %` };
}
