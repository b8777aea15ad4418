import { registerDecorator, type ValidationOptions } from 'class-validator';

/**
 * True if no string in the value, including object keys, contains NUL or a lone surrogate. Postgres cannot store NUL,
 * and the UTF-8 encoding silently replaces a lone surrogate.
 */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormedText(value);
  // Without recursion, because a client may nest values more deeply than the stack allows.
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string' && !isWellFormedText(next)) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, entry] of Object.entries(next)) {
      if (!isWellFormedText(key)) return false;
      pending.push(entry);
    }
  }
  return true;
}

function isWellFormedText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Refuses NUL characters and malformed Unicode anywhere inside the value. */
export function IsWellFormed(options?: ValidationOptions): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isWellFormed',
      target: target.constructor,
      propertyName: property as string,
      options: { message: '$property must not contain NUL characters or malformed Unicode', ...options },
      validator: { validate: isWellFormed },
    });
}
