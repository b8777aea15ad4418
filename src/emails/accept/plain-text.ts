import { InvalidFieldError } from '../../platform/errors/domain-error.js';

/** RFC 2047: mail clients decode it anywhere, so they would show a different text than the one given here. */
const ENCODED_WORD = /=\?[^\s?]+\?[bq]\?[^?]*\?=/i;
/** Embeddings, overrides and isolates: they display letters in a different order than the stored one. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;
/** Right-to-left subjects may need every direction character except the overrides. */
const OVERRIDE = /[\u202d\u202e]/;
/** Invisible characters that mislead spam filters. Joiners stay: emoji and some scripts need them. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

const IS_ENCODED = 'must be the text itself, not an encoded word (=?charset?q?…?=)';
const IS_REORDERED = 'must not contain characters that change the direction of text';

/** True for a text that can be displayed in another order than its own, such as the extension of a file. */
export function changesDirection(text: string): boolean {
  return DIRECTION.test(text);
}

/** Rejects a subject that displays differently from its text. @throws InvalidFieldError */
export function requirePlainSubject(subject: string): void {
  const problem = problemOfSubject(subject);
  if (problem !== undefined) throw new InvalidFieldError('subject', problem);
}

/** Why a subject displays differently from its text; undefined if it does not. */
export function problemOfSubject(subject: string): string | undefined {
  if (ENCODED_WORD.test(subject)) return IS_ENCODED;
  return OVERRIDE.test(subject) ? IS_REORDERED : undefined;
}

/**
 * Removes invisible characters from the display name. Checks what is left: without them, a name can be an encoded word.
 * @throws InvalidFieldError
 */
export function plainName(field: string, name: string): string {
  const visible = name.replace(INVISIBLE, '').trim();
  if (ENCODED_WORD.test(visible)) throw new InvalidFieldError(field, IS_ENCODED);
  if (changesDirection(visible)) throw new InvalidFieldError(field, IS_REORDERED);
  return visible;
}
