const URL_ATTRIBUTES = new Set('action background cite data formaction href longdesc poster src xlink:href'.split(' '));

export function isUrlAttribute(name: string): boolean {
  return URL_ATTRIBUTES.has(name);
}

/** The part of a URL that the next character belongs to. */
export type UrlPart = 'start' | 'path' | 'query';

/**
 * The part after a character of the template. A value may continue the scheme of a URL until the template itself ends
 * it: two values could otherwise form one together. `&` and `=` are in no scheme: they separate parameters.
 */
export function partAfter(part: UrlPart, character: string): UrlPart {
  if (character === '?' || character === '#') return 'query';
  if (part !== 'start') return part;
  if (character === '&' || character === '=') return 'query';
  return character === '/' || character === ':' ? 'path' : part;
}
