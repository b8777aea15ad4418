import { InvalidFieldError } from '../../../platform/errors/domain-error.js';
import { isJsonObject } from '../../../platform/http/json-object.js';

/**
 * The content of a file in base64. Resend's libraries for Python, Go and Ruby list its bytes, and older ones for
 * JavaScript send a Buffer as JSON writes it. Any other value is returned as it is, and is checked later.
 * @throws InvalidFieldError for a list of anything but bytes
 */
export function readFileContent(value: unknown, path: string): unknown {
  const bytes = isBuffer(value) ? value.data : value;
  if (!Array.isArray(bytes)) return value;
  if (!bytes.every(isByte)) throw new InvalidFieldError(path, 'must be base64, or a list of bytes from 0 to 255');
  return Buffer.from(bytes).toString('base64');
}

function isBuffer(value: unknown): value is { readonly data: unknown[] } {
  return isJsonObject(value) && value['type'] === 'Buffer' && Array.isArray(value['data']);
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}
