import { registerDecorator } from 'class-validator';
import { isWellFormed } from '../../platform/http/storable-text.js';

/** A JSON value that Postgres can store unchanged, with at most `maxBytes` bytes of UTF-8 when serialized. */
export function IsJsonWithin(maxBytes: number): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isJsonWithin',
      target: target.constructor,
      propertyName: property as string,
      options: {
        message: `$property must have at most ${maxBytes} bytes as JSON, without NUL characters or malformed Unicode`,
      },
      validator: { validate: (value: unknown) => fits(value, maxBytes) },
    });
}

/** The size check comes first because it bounds the depth of the second check. */
function fits(value: unknown, maxBytes: number): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value)) <= maxBytes && isWellFormed(value);
  } catch {
    // Nested deeper than JSON.stringify can follow.
    return false;
  }
}
