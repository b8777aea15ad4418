export const PLACE_KINDS = [
  ...(['text', 'value', 'url start', 'url path', 'url query', 'script', 'style', 'comment', 'markup'] as const),
  // In the value of a variable, which is escaped where that variable is written.
  'capture',
] as const;

/** The place of a template's output in its HTML, which decides how the value is escaped. */
export interface Place {
  readonly kind: (typeof PLACE_KINDS)[number];
  /** False if a blank would end the value: unquoted attributes, and inside a tag. */
  readonly isQuoted: boolean;
}

/** In the value of a variable, which is escaped where that variable is written. */
export const CAPTURE: Place = { kind: 'capture', isQuoted: true };

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Schemes that a URL from a variable may have; images may also be inline. */
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto', 'tel', 'sms', 'cid']);
const SCHEME = /^([^/?#:]*):/;
const INLINE_IMAGE = /^data:image\/(?:png|gif|jpeg|webp);/i;
/** A URL that leads nowhere. */
const NOWHERE = '#';
/** Characters that no URL contains unencoded (RFC 3986, 2). Non-ASCII letters stay, because browsers encode them. */
const NOT_IN_URLS = /[\0-\x20"<>\\^`{|}\x7f]/g;

/** From the one whose escaping is the strictest. A value that is escaped for one is safe in those behind it. */
const STRICTNESS: readonly Place['kind'][] = ['url start', 'url query', 'url path', 'value', 'text'];

/** A place for an output that is sometimes in one and sometimes in the other. */
export function eitherPlace(one: Place, other: Place): Place {
  const isQuoted = one.isQuoted && other.isQuoted;
  if (one.kind === other.kind) return { kind: one.kind, isQuoted };
  const kind = STRICTNESS.find((each) => each === one.kind || each === other.kind);
  const areComparable = STRICTNESS.includes(one.kind) && STRICTNESS.includes(other.kind);
  return areComparable ? { kind: kind!, isQuoted } : { kind: 'markup', isQuoted: false };
}

/** Escapes any value so that it stays inside its place. */
export function escapeFor(place: Place, value: string): string {
  if (place.kind === 'capture') return value;
  const escaped = escapedIn(place, value);
  // Without a value, the next attribute would become the value of this one.
  return escaped === '' && !place.isQuoted && place.kind !== 'markup' ? '&#32;' : escaped;
}

function escapedIn({ kind, isQuoted }: Place, value: string): string {
  switch (kind) {
    case 'script':
      return escapeInScript(value);
    case 'style':
      return value.replaceAll('<', '');
    case 'comment':
      // Dashes could end it together with a `>` of the template.
      return escapeMarkup(value, isQuoted).replaceAll('-', '&#45;');
    case 'url start':
    case 'url path':
    case 'url query':
    case 'text':
    case 'value':
    case 'markup':
    case 'capture':
      return escapeMarkup(plainFor({ kind, isQuoted }, value), isQuoted);
  }
}

/** The value in its place after the HTML is decoded: URLs stay encoded. */
export function plainFor({ kind }: Place, value: string): string {
  if (kind === 'url start') return encodedUrl(safeUrl(value));
  if (kind === 'url path') return encodedUrl(value);
  return kind === 'url query' ? encodeURIComponent(value.toWellFormed()) : value;
}

function escapeMarkup(value: string, isQuoted: boolean): string {
  if (isQuoted) return value.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
  return value.replace(/[&<>"'=`\s/]/g, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}

/** Escapes for a string of JavaScript or JSON, in single or double quotes. */
function escapeInScript(value: string): string {
  return value.replace(/[\\"'<>&`\u2028\u2029\p{Cc}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Replaces a URL whose scheme is not used in mail, such as `javascript:`. */
function safeUrl(value: string): string {
  // Browsers drop blanks and control characters in front of a scheme and inside it.
  const url = value.replace(/^[\0-\x20]+/, '');
  const scheme = SCHEME.exec(url.slice(0, 1000).replace(/[\0-\x20]/g, ''))?.[1];
  if (scheme === undefined || SAFE_SCHEMES.has(scheme.toLowerCase()) || INLINE_IMAGE.test(url)) return url;
  return NOWHERE;
}

function encodedUrl(value: string): string {
  return value.replace(NOT_IN_URLS, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}
