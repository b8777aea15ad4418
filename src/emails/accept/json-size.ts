import { fieldRule } from '../../platform/http/field-rule.js';
import { isWellFormed } from '../../platform/http/storable-text.js';

/** A value that is nested deeper could overflow the stack of whatever serializes it later. */
export const MAX_LEVELS = 1_000;

/** For error messages. `JSON.parse` reads a larger number as infinity, which JSON cannot write. */
export const HUGE_NUMBERS = 'numbers beyond ±1.8e308';

/** A JSON value that Postgres can store unchanged, with at most `maxBytes` bytes of UTF-8 when serialized. */
export function IsJsonWithin(maxBytes: number): PropertyDecorator {
  return fieldRule(
    'isJsonWithin',
    `$property must have at most ${maxBytes} bytes and ${MAX_LEVELS} levels as JSON, without NUL characters, malformed Unicode or ${HUGE_NUMBERS}`,
    (value) => fits(value, maxBytes),
  );
}

/** The first check bounds the depth of the others. */
function fits(value: unknown, maxBytes: number): boolean {
  return isWritableJson(value) && Buffer.byteLength(JSON.stringify(value)) <= maxBytes && isWellFormed(value);
}

/**
 * True if a parsed JSON value is safe to walk and can be written again: it has at most `levels` levels of arrays and
 * objects, and finite numbers.
 */
export function isWritableJson(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'number' || Number.isFinite(value);
  return levels > 0 && Object.values(value).every((entry) => isWritableJson(entry, levels - 1));
}
