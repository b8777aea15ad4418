import { fieldRule } from './field-rule.js';

/**
 * True if no string in the value, including object keys, contains NUL or a lone surrogate. Postgres cannot store NUL,
 * and the UTF-8 encoding silently replaces a lone surrogate.
 */
export function isWellFormed(value: unknown): boolean {
  // Without recursion, because a client may nest values more deeply than the stack allows.
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      if (!next.isWellFormed() || next.includes('\0')) return false;
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, entry] of Object.entries(next)) pending.push(key, entry);
    }
  }
  return true;
}

/** Refuses NUL characters and malformed Unicode anywhere inside the value. */
export function IsWellFormed(): PropertyDecorator {
  return fieldRule('isWellFormed', '$property must not contain NUL characters or malformed Unicode', isWellFormed);
}
