const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;
/** Characters without a shape, among them the fillers of Hangul and the empty pattern of Braille. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]+$/u;
const SHOWN_CODES = 5;

/**
 * A stored name as pages show it: without characters that would change the direction of what follows, or end an isolate
 * around it. If none of its characters can be seen, their codes, which distinguish it from others and can be clicked.
 */
export function shownName(name: string): string {
  if (INVISIBLE.test(name)) return `only invisible characters (${codesOf([...name])})`;
  return name.replace(DIRECTIONS, '');
}

function codesOf(characters: readonly string[]): string {
  const codes = characters
    .slice(0, SHOWN_CODES)
    .map((character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  return [...codes, ...(characters.length > SHOWN_CODES ? ['…'] : [])].join(' ');
}
