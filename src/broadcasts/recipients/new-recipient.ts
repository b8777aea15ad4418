import { addressKey, formatMailbox, parseMailbox } from '../../emails/mailbox.js';
import { plainName } from '../../emails/accept/plain-text.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { isWellFormed } from '../../platform/http/storable-text.js';

/** A recipient that can be stored. */
export interface NewRecipient {
  readonly key: string;
  readonly address: string;
  /** JSON of an object, or null. */
  readonly variables: string | null;
  readonly metadata: string | null;
}

/** For variables and metadata, each as JSON. */
const MAX_RECIPIENT_BYTES = 10_000;

/** Returns why the recipient is invalid instead, as a sentence about its line. */
export function readNewRecipient(value: unknown): NewRecipient | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'The recipient must be a JSON object';
  const { to, variables, metadata } = value as { to?: unknown; variables?: unknown; metadata?: unknown };
  const mailbox = readTo(to);
  if (typeof mailbox === 'string') return mailbox;
  const read = { variables: readObject(variables), metadata: readObject(metadata) };
  if (read.variables === undefined) return invalidObject('variables');
  if (read.metadata === undefined) return invalidObject('metadata');
  return { key: mailbox.key, address: mailbox.address, variables: read.variables, metadata: read.metadata };
}

function invalidObject(field: string): string {
  return `${field} must be an object of at most ${MAX_RECIPIENT_BYTES} bytes as JSON, without NUL characters`;
}

function readTo(to: unknown): Pick<NewRecipient, 'key' | 'address'> | string {
  const mailbox = typeof to === 'string' ? parseMailbox(to) : undefined;
  if (!mailbox) return 'to must be one email address like jane@example.com or Jane <jane@example.com>';
  const { address } = mailbox;
  try {
    const name = mailbox.name === undefined ? '' : plainName('to', mailbox.name);
    return { key: addressKey(address), address: formatMailbox({ ...(name && { name }), address }) };
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}

/** Null when absent, undefined when invalid. */
function readObject(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  try {
    // The size check comes first because it bounds the depth of the second check.
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > MAX_RECIPIENT_BYTES) return undefined;
    // NUL and lone surrogates are escaped in JSON, so that most objects need not be walked.
    return !text.includes('\\u') || isWellFormed(value) ? text : undefined;
  } catch {
    // Nested deeper than JSON.stringify can follow.
    return undefined;
  }
}
