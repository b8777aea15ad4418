import { toValue, type Emitter } from 'liquidjs';
import { RenderingLimitError } from '../rendering-limit-error.js';

/** Maximum length of the source and of the output of a template, in bytes, and so in characters. */
export const MAX_LENGTH = 5 * 1024 * 1024;
/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES = 3;
export const TOO_LONG = 'becomes longer than 5 MB';

/** Collects the output of a template, up to a length. */
export class BoundedEmitter implements Emitter {
  buffer = '';

  /** @throws RenderingLimitError */
  write(value: unknown): void {
    const text = textOf(value);
    if (this.buffer.length + text.length > MAX_LENGTH) {
      throw new RenderingLimitError(TOO_LONG);
    }
    this.buffer += text;
  }
}

export function charactersOf(parts: readonly string[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** True if the parts, which have so many characters, together have more than `MAX_LENGTH` bytes. */
export function isTooLong(parts: readonly string[], characters = charactersOf(parts)): boolean {
  if (characters * MAX_BYTES <= MAX_LENGTH) return false;
  return characters > MAX_LENGTH || parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) > MAX_LENGTH;
}

/** @throws RenderingLimitError for a text of more than `MAX_LENGTH` bytes */
export function withinLimit(text: string): string {
  if (isTooLong([text])) throw new RenderingLimitError(TOO_LONG);
  return text;
}

/**
 * Replaces what escapes, filters and encodings of a template can create, but nobody can store or send: NUL characters
 * and lone surrogates.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Converts a value to text in the same way as Liquid. */
export function textOf(value: unknown): string {
  const plain: unknown = toValue(value);
  if (typeof plain === 'string') return plain;
  if (plain === undefined || plain === null) return '';
  return Array.isArray(plain) ? plain.map(textOf).join('') : String(plain);
}
