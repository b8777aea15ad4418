import { formatMailbox } from '../../mailbox.js';
import { InvalidFieldError } from '../../../platform/errors/domain-error.js';
import { readObject, readText, under } from '../read-object.js';

/** Longer ones are invalid anyway. Without this limit, each personalization would check a long one again. */
const MAX_LENGTH = 320;

/** `{ email, name? }` as a mailbox. */
export function readNamedAddress(value: unknown, path: string): string {
  const fields = readObject(value, path, ['email', 'name']);
  const address = readShortText(fields.email, under(path, 'email'));
  if (address === undefined) throw new InvalidFieldError(under(path, 'email'), 'is required');
  return formatMailbox({ address, name: readShortText(fields.name, under(path, 'name')) ?? '' });
}

function readShortText(value: unknown, path: string): string | undefined {
  const text = readText(value, path);
  if (text !== undefined && text.length > MAX_LENGTH) {
    throw new InvalidFieldError(path, `must have at most ${MAX_LENGTH} characters`);
  }
  return text;
}

/** Seconds since the Unix epoch as ISO 8601. */
export function readUnixTime(value: unknown, path: string): string {
  const time = new Date(Number.isSafeInteger(value) ? (value as number) * 1000 : NaN);
  if (Number.isNaN(time.getTime())) throw new InvalidFieldError(path, 'must be a Unix time in seconds');
  return time.toISOString();
}
