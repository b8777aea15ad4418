import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { isJsonObject } from '../../platform/http/json-object.js';

/** A field that no message has. Its name is that of the client, even if one of our own fields is called the same. */
export class UnsupportedFieldError extends InvalidFieldError {
  constructor(path: string) {
    super(path, 'is not supported');
  }
}

/** Of a name in an error: the response of a batch has them all, and is stored with its Idempotency-Key. */
const LONGEST_NAME = 100;

/** The fields of a JSON object; those that are null or absent have no entry. */
export type Fields<Name extends string> = Partial<Record<Name, unknown>>;

/**
 * Reads a JSON object.
 * @param path of the object in the body, empty for the body itself
 * @param names all fields that the object may have
 * @throws InvalidFieldError for anything but an object, and for a field with another name
 */
export function readObject<Name extends string>(value: unknown, path: string, names: readonly Name[]): Fields<Name> {
  if (!isJsonObject(value)) throw new InvalidFieldError(path || 'body', 'must be a JSON object');
  const fields: Fields<Name> = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue;
    if (!names.includes(name as Name)) throw new UnsupportedFieldError(under(path, shortened(name)));
    fields[name as Name] = field;
  }
  return fields;
}

function shortened(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name;
}

/**
 * PHP writes an empty map as an empty list, as Laravel does for an email without headers of its own.
 * @throws InvalidFieldError for anything but an object; undefined stays undefined
 */
export function readMap(value: unknown, path: string): Record<string, unknown> | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isJsonObject(value)) throw new InvalidFieldError(path, 'must be a JSON object');
  return { ...value };
}

/** @throws InvalidFieldError for anything but a string; undefined stays undefined */
export function readText(value: unknown, path: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new InvalidFieldError(path, 'must be a string');
}

/** @throws InvalidFieldError for anything but an array; undefined gives an empty one */
export function readList(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value as unknown[];
  throw new InvalidFieldError(path, 'must be an array');
}

export function withoutAbsent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The path of a field or entry. */
export function under(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}
