import { registerDecorator, type ValidationOptions } from 'class-validator';

/**
 * True if no string in the value, including object keys, contains NUL or a lone surrogate. Postgres cannot store NUL,
 * and the UTF-8 encoding silently replaces a lone surrogate.
 */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, entry]) => isWellFormed(key) && isWellFormed(entry));
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
