import { registerDecorator, type ValidationOptions } from 'class-validator';

/**
 * Postgres cannot store NUL and would silently change a lone surrogate, so neither may enter.
 * True for strings, and for every key and value inside arrays and objects.
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
