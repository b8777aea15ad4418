import { isSpace } from '../html-scanner/characters.js';

const URL_ATTRIBUTES = new Set('action background cite data formaction href longdesc poster src xlink:href'.split(' '));

export function isUrlAttribute(name: string): boolean {
  return URL_ATTRIBUTES.has(name);
}

/** The part of a URL that the next character belongs to. */
export type UrlPart = 'start' | 'path' | 'query';

/** The part after a character of the template. */
export function partAfter(part: UrlPart, character: string, code: number): UrlPart {
  if (character === '?' || character === '#') return 'query';
  return part === 'start' && !isSpace(code) ? 'path' : part;
}

/** The part after an output, which may be the beginning of the URL but not its query. */
export function partAfterOutput(part: UrlPart): UrlPart {
  return part === 'start' ? 'path' : part;
}
