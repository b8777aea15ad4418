import { isUuid, timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { isJsonObject, type JsonObject } from '../../platform/http/json-object.js';
import { isWellFormed } from '../../platform/http/storable-text.js';
import { readableReason } from '../../providers/failure-reason.js';
import { recipientEventId, type RecipientEvent } from '../recipient-event.js';

/** An event of a provider as it was read. */
export interface ParsedProviderEvent<Type extends string = string, Reason extends string = string> {
  /** From a closed set, for metrics. */
  readonly type: Type;
  /** The event to store, or why it is not stored. */
  readonly outcome: RecipientEvent | Reason;
}

export type EventFields = JsonObject;

const MAX_ADDRESS = 320;
/** A provider's time may begin before the millisecond in which we accepted the email, and clocks differ. */
const EARLIEST_BEFORE_EMAIL_MS = 10 * 60_000;
const LATEST_AFTER_EMAIL_MS = 2 * 366 * 24 * 60 * 60_000;

/** What an event says about a recipient. */
export type Meaning = Pick<RecipientEvent, 'fact' | 'bounce' | 'suppression'>;

/** A report about one recipient, as it was read. */
export interface ReadReport {
  /** ID of the email. */
  readonly email: string;
  /** The address, or its position among the addresses of to, cc and bcc. */
  readonly recipient: string | number;
  /** Milliseconds since 1970, or NaN. */
  readonly time: number;
  /** The same in a repeat, and different for each recipient. */
  readonly reportId: string;
  readonly meaning: Meaning;
  readonly smtpStatus: string | undefined;
  /** The words of the receiving server or of the provider; '' if there are none. */
  readonly sentence: string;
}

/** The event to store. */
export function recipientEventOf(report: ReadReport): RecipientEvent {
  const { email, recipient, time, reportId, meaning, smtpStatus, sentence } = report;
  const reason = readableReason(sentence);
  return {
    type: 'recipient',
    id: recipientEventId(plausibleTime(time, email), reportId),
    email: email.toLowerCase(),
    recipient,
    ...meaning,
    ...(smtpStatus !== undefined && { smtpStatus }),
    ...(reason !== '' && { reason }),
  };
}

/** The type that a provider names, or `other` if it is in no closed set of ours. */
export function typeAmong<Type extends string>(types: readonly (Type | 'other')[], name: unknown): Type | 'other' {
  return types.find((known) => known === name) ?? 'other';
}

/** The fields of a JSON object, or undefined for any other value. */
export function fieldsOf(value: unknown): EventFields | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The text, or an empty one for any other value. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** True for an ID of an email as this service makes them. */
export function isEmailId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value) && value[14] === '7';
}

/** True if the text can be stored as the address of a recipient. */
export function isAddress(text: string): boolean {
  return text.length > 0 && text.length <= MAX_ADDRESS && isWellFormed(text);
}

/**
 * The time of an event if it is plausible for the email, otherwise that of the email: a repeat must get the same ID.
 * @param time milliseconds since 1970, or NaN
 */
function plausibleTime(time: number, email: string): number {
  const accepted = timeOfUuidV7(email);
  const isPlausible = time >= accepted - EARLIEST_BEFORE_EMAIL_MS && time <= accepted + LATEST_AFTER_EMAIL_MS;
  return isPlausible ? Math.trunc(time) : accepted;
}

/** Several times as many as an event has. Sorting more would take long, and once for each recipient of an event. */
const MAX_CONTENT_FIELDS = 1_000;

/** True for an event with so many fields that its content can be no ID. */
export function hasTooManyFields(fields: EventFields): boolean {
  let count = 0;
  for (const name in fields) if (Object.hasOwn(fields, name) && (count += 1) > MAX_CONTENT_FIELDS) return true;
  return false;
}

/** The content of an event without an ID, which is the same in a repeat. Only without too many fields. */
export function contentOf(fields: EventFields): string {
  const content = Object.entries(fields).filter(([, value]) => value === null || typeof value !== 'object');
  return JSON.stringify(content.sort(([one], [other]) => (one < other ? -1 : 1)));
}
