import { domainToUnicode } from 'node:url';

/** The person that an organization erases. */
export interface Person {
  readonly organizationId: string;
  /** The address in lower case, as contacts have it. */
  readonly addressKey: string;
  /** Matches the address anywhere, also as part of a longer one. */
  readonly anywhere: string;
  /** Matches the address in texts, see `addressPattern`. */
  readonly pattern: string;
  /** Matches the address in JSON, whose escapes begin or end with letters. */
  readonly jsonPattern: string;
}

export function personOf(organizationId: string, addressKey: string): Person {
  const address = addressPattern(addressKey);
  return {
    ...{ organizationId, addressKey, anywhere: address },
    pattern: `${address}${afterAllowedIn('text', address)}${AFTER}`,
    jsonPattern: `${address}${afterAllowedIn('json', address)}${AFTER}`,
  };
}

/** A character that would continue the address, which means that the text contains a different, longer one. */
const LONGER = '[A-Za-z0-9_.+-]';
/** `%3D` and `%253D` before the address are an encoded `=`. */
const URL_ENCODED = '%(?:25)*[0-9A-Fa-f]{2}';
/** The backslash of an escape in JSON, which follows an even number of others. */
const BACKSLASH = String.raw`(?:^|[^\\])(?:\\\\)*\\`;
const ESCAPE = `${BACKSLASH}(?:[bfnrt]|u[0-9A-Fa-f]{4})`;
const BEYOND_ASCII = /^[^\0-\x7f]$/u;
const AFTER = '(?![A-Za-z0-9-]|\\.[A-Za-z0-9])';

/**
 * What may stand before an address, as a condition behind it: Postgres checks a condition in front of the address at
 * each character of a text, which takes a hundred times as long.
 */
function afterAllowedIn(kind: 'text' | 'json', address: string): string {
  const follows = (before: string): string => `(?<=${before}${address})`;
  const followsNo = (before: string): string => `(?<!${before}${address})`;
  const conditions = {
    text: [followsNo(LONGER)],
    // The letter of an escape does not begin the address.
    json: [followsNo(LONGER) + followsNo(BACKSLASH), follows(ESCAPE)],
  };
  return `(?:${[...conditions[kind], follows(URL_ENCODED)].join('|')})`;
}

/**
 * A regular expression, for Postgres as well as for JavaScript and without regard to case, that finds an address in a
 * text: plain, URL-encoded or in HTML. It does not match a longer address that contains this one. A key has the domain
 * as A-labels; texts may have it in its own alphabet.
 */
function addressPattern(addressKey: string): string {
  const at = addressKey.lastIndexOf('@') + 1;
  const domain = addressKey.slice(at);
  const written = domainToUnicode(domain);
  const domains = written === domain || written === '' ? [domain] : [domain, written];
  return patternOf(addressKey.slice(0, at)) + `(?:${domains.map(patternOf).join('|')})`;
}

function patternOf(text: string): string {
  const characters = [...text].map((character) =>
    /[a-z0-9_-]/.test(character) ? character : `(?:${formsOf(character).join('|')})`,
  );
  return characters.join('');
}

/** Databases differ in whether they know upper case beyond ASCII, where it may be another number of letters. */
function formsOf(character: string): string[] {
  const upper = character.toUpperCase();
  const cases = upper !== character && BEYOND_ASCII.test(upper) ? [character, upper] : [character];
  return cases.flatMap((one) => [plain(one), urlEncoded(one), entity(one)]);
}

function plain(character: string): string {
  return BEYOND_ASCII.test(character) ? character : `\\${character}`;
}

/** The URL-encoded form at any level of nesting: `%40`, `%2540`, and so on. */
function urlEncoded(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('');
}

/** The HTML form: `&amp;`, or a number such as `&#64;`. */
function entity(character: string): string {
  const code = character.codePointAt(0)!;
  const number = `&#(?:0*${code}|x0*${code.toString(16)});`;
  return character === '&' ? `&amp;|${number}` : number;
}
