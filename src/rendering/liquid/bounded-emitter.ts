import { toValue, type Emitter } from 'liquidjs';
import { RenderingLimitError } from '../rendering-limit-error.js';

/** Collects the output of a template, up to a length. */
export class BoundedEmitter implements Emitter {
  buffer = '';

  constructor(private readonly maxLength: number) {}

  /** @throws RenderingLimitError */
  write(value: unknown): void {
    const text = textOf(value);
    if (this.buffer.length + text.length > this.maxLength) {
      throw new RenderingLimitError(`becomes longer than ${this.maxLength} characters`);
    }
    this.buffer += text;
  }
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
