import { InvalidFieldError } from '../../../platform/errors/domain-error.js';
import { readList, readMap, readObject, readText } from '../read-object.js';
import { readNamedAddress, readUnixTime } from './values.js';

const MAX_PERSONALIZATIONS = 1_000;

const FIELDS = [
  'to',
  'cc',
  'bcc',
  'from',
  'subject',
  'headers',
  'dynamic_template_data',
  'custom_args',
  'send_at',
] as const;

export type FieldOfPersonalization = (typeof FIELDS)[number];

/** The recipients of one message, and what it has of its own. */
export interface Personalization {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly from?: string;
  readonly subject?: string;
  readonly headers?: Record<string, unknown>;
  readonly customArgs?: Record<string, unknown>;
  readonly variables?: Record<string, unknown>;
  /** ISO 8601. */
  readonly sendAt?: string;
}

/** @throws InvalidFieldError */
export function readPersonalizations(value: unknown): Personalization[] {
  const personalizations = readList(value, 'personalizations');
  if (personalizations.length === 0 || personalizations.length > MAX_PERSONALIZATIONS) {
    throw new InvalidFieldError('personalizations', `must have 1 to ${MAX_PERSONALIZATIONS} entries`);
  }
  return personalizations.map((entry, index) => readPersonalization(entry, `personalizations.${index}`));
}

function readPersonalization(value: unknown, path: string): Personalization {
  const fields = readObject(value, path, FIELDS);
  return {
    to: readNamedAddresses(fields.to, `${path}.to`),
    cc: readNamedAddresses(fields.cc, `${path}.cc`),
    bcc: readNamedAddresses(fields.bcc, `${path}.bcc`),
    from: fields.from === undefined ? undefined : readNamedAddress(fields.from, `${path}.from`),
    subject: readText(fields.subject, `${path}.subject`),
    headers: readMap(fields.headers, `${path}.headers`),
    customArgs: readMap(fields.custom_args, `${path}.custom_args`),
    variables: readMap(fields.dynamic_template_data, `${path}.dynamic_template_data`),
    sendAt: fields.send_at === undefined ? undefined : readUnixTime(fields.send_at, `${path}.send_at`),
  };
}

function readNamedAddresses(value: unknown, path: string): string[] {
  return readList(value, path).map((entry, index) => readNamedAddress(entry, `${path}.${index}`));
}
