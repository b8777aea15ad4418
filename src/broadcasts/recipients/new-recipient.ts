import { INTERNATIONAL_ADDRESS } from '../../emails/email-errors.js';
import { addressKey, formatMailbox, hasInternationalLocalPart, parseMailbox } from '../../emails/mailbox.js';
import { HUGE_NUMBERS, isWritableJson } from '../../emails/accept/json-size.js';
import { plainName } from '../../emails/accept/plain-text.js';
import { ROW_BYTES } from '../../organizations/budgets/budget.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { isJsonObject } from '../../platform/http/json-object.js';
import { isWellFormed } from '../../platform/http/storable-text.js';

/** A recipient that can be stored. */
export interface NewRecipient {
  readonly key: string;
  readonly address: string;
  /** JSON of an object, or null. */
  readonly variables: string | null;
  readonly metadata: string | null;
}

/** Limit for variables and for metadata, each as JSON. */
export const MAX_RECIPIENT_BYTES = 10_000;
/** Characters that a JSON string must escape. */
// eslint-disable-next-line no-control-regex
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;

/** The bytes that a recipient uses from the budget of stored bytes. */
export function recipientBytes({ address, variables, metadata }: NewRecipient): number {
  return (
    ROW_BYTES + Buffer.byteLength(address) + Buffer.byteLength(variables ?? '') + Buffer.byteLength(metadata ?? '')
  );
}

/** If the recipient is invalid, returns the reason, as a sentence about its line. */
export function readNewRecipient(value: unknown): NewRecipient | string {
  if (!isJsonObject(value)) return 'The recipient must be a JSON object';
  const { to, variables, metadata } = value;
  const mailbox = readTo(to);
  if (typeof mailbox === 'string') return mailbox;
  const read = { variables: readObject(variables), metadata: readObject(metadata) };
  if (read.variables === undefined) return invalidObject('variables');
  if (read.metadata === undefined) return invalidObject('metadata');
  return { key: mailbox.key, address: mailbox.address, variables: read.variables, metadata: read.metadata };
}

/**
 * A recipient whose variables are strings.
 * @param names the names of the variables, each as JSON
 * @param values of UTF-8, so without lone surrogates
 */
export function readTextRecipient(
  to: string,
  names: readonly string[],
  values: readonly string[],
): NewRecipient | string {
  const mailbox = readTo(to);
  if (typeof mailbox === 'string') return mailbox;
  // Several times as fast as building an object with so many fields only to serialize it.
  let variables = '{';
  for (let index = 0; index < names.length; index++) {
    const value = values[index]!;
    const text = NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
    variables += `${index > 0 ? ',' : ''}${names[index]!}:${text}`;
  }
  variables += '}';
  return isStorable(variables) ? { ...mailbox, variables, metadata: null } : invalidObject('variables');
}

function invalidObject(field: string): string {
  return `${field} must be an object of at most ${MAX_RECIPIENT_BYTES} bytes as JSON, without NUL characters or ${HUGE_NUMBERS}`;
}

function readTo(to: unknown): Pick<NewRecipient, 'key' | 'address'> | string {
  const mailbox = typeof to === 'string' ? parseMailbox(to) : undefined;
  if (!mailbox && typeof to === 'string' && hasInternationalLocalPart(to)) return `to ${INTERNATIONAL_ADDRESS}`;
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
  if (!isJsonObject(value) || !isWritableJson(value)) return undefined;
  const text = JSON.stringify(value);
  return isStorable(text) ? text : undefined;
}

function isStorable(json: string): boolean {
  if (Buffer.byteLength(json) > MAX_RECIPIENT_BYTES) return false;
  // NUL and lone surrogates are escaped in JSON, so that most objects need not be walked.
  return !json.includes('\\u') || isWellFormed(JSON.parse(json));
}
