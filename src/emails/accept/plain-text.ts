import { InvalidFieldError } from '../../platform/errors/domain-error.js';

/** RFC 2047: mail programs decode it wherever it stands, so it would be shown as other text than was given here. */
const ENCODED_WORD = /=\?[^\s?]+\?[bq]\?[^?]*\?=/i;
/** Embeddings, overrides and isolates: they show letters in another order than they have. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;
/** In a subject, right-to-left text may need all but the overrides. */
const OVERRIDE = /[\u202d\u202e]/;
/** Nobody sees them, and filters are misled by them. Joiners stay: emoji and some scripts need them. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

/** A subject as it is to be read. @throws InvalidFieldError */
export function requirePlainSubject(subject: string): void {
  requireNoEncodedWord('subject', subject);
  if (OVERRIDE.test(subject)) throw directionError('subject');
}

/** The display name without what nobody sees. @throws InvalidFieldError */
export function plainName(field: string, name: string): string {
  requireNoEncodedWord(field, name);
  if (DIRECTION.test(name)) throw directionError(field);
  return name.replace(INVISIBLE, '').trim();
}

function requireNoEncodedWord(field: string, text: string): void {
  if (ENCODED_WORD.test(text)) {
    throw new InvalidFieldError(field, 'must be the text itself, not an encoded word (=?charset?q?…?=)');
  }
}

function directionError(field: string): InvalidFieldError {
  return new InvalidFieldError(field, 'must not contain characters that change the direction of text');
}
