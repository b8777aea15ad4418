import addressparser from 'nodemailer/lib/addressparser';
import { enhancedStatusOf } from '../../../providers/enhanced-status.js';
import { type RecipientEvent } from '../../recipient-event.js';
import {
  fieldsOf,
  isAddress,
  isEmailId,
  recipientEventOf,
  typeAmong,
  asText,
  type EventFields,
  type Meaning,
  type ParsedProviderEvent,
} from '../provider-event-fields.js';
import { bounceOfType, replyIn, SUPPRESSED } from '../ses-words.js';

/**
 * Why an event is not stored:
 *
 *     processed           Resend has the message; the outcome of the delivery already shows that
 *     engagement          an open or click; we count our own
 *     several-recipients  it does not say which of the recipients it concerns
 *     not-ours            it carries no email ID of ours: other software sends through the account
 *     unknown-type        a type that is not about an email that was sent, or a new type
 *     malformed           a field that the event needs is missing or of the wrong type
 */
type IgnoredReason = 'processed' | 'engagement' | 'several-recipients' | 'not-ours' | 'unknown-type' | 'malformed';

/** The type of an event as Resend names it; `other` for a type that we do not know. */
const EVENT_TYPES = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.failed',
  'email.suppressed',
  'email.opened',
  'email.clicked',
  'other',
] as const;
type ResendEventType = (typeof EVENT_TYPES)[number];

export type ParsedResendEvent = ParsedProviderEvent<ResendEventType, IgnoredReason>;

const IGNORED: Partial<Record<ResendEventType, IgnoredReason>> = {
  'email.scheduled': 'processed',
  'email.sent': 'processed',
  'email.opened': 'engagement',
  'email.clicked': 'engagement',
};

/** An address and a name. Parsing a megabyte would take a quarter of a second. */
const MAX_MAILBOX = 2_000;

/** Reads an event. Never throws. @param callId the ID of the call, which is the same in a repeat */
export function parseResendEvent(value: unknown, callId: string): ParsedResendEvent {
  const fields = fieldsOf(value);
  if (!fields) return { type: 'other', outcome: 'malformed' };
  const type = typeAmong(EVENT_TYPES, fields.type);
  return { type, outcome: outcomeOf(type, fields, callId) };
}

function outcomeOf(type: ResendEventType, fields: EventFields, callId: string): RecipientEvent | IgnoredReason {
  const ignored = IGNORED[type];
  if (ignored !== undefined) return ignored;
  if (type === 'other') return typeof fields.type === 'string' ? 'unknown-type' : 'malformed';
  const data = fieldsOf(fields.data) ?? {};
  const email = tagOf(data, 'mailbeacon_email_id');
  if (email === undefined || email === null) return 'not-ours';
  if (!isEmailId(email)) return 'malformed';
  const recipient = recipientOf(data);
  if (recipient === 'malformed' || recipient === 'several-recipients') return recipient;
  const { meaning, details } = meaningOf(type, data);
  return recipientEventOf({
    ...{ email, recipient, meaning },
    time: Date.parse(asText(fields.created_at)),
    reportId: `resend:${callId}`,
    smtpStatus: statusOf(details),
    sentence: sentenceOf(details),
  });
}

/**
 * Resend reports on each recipient, also on those in cc and bcc, and names all of `to` in each event. So only a message
 * to a single recipient says whom it concerns. A wrong guess would suppress somebody else.
 */
function recipientOf(data: EventFields): string {
  const named = tagOf(data, 'mailbeacon_recipients');
  if (named !== undefined && named !== '1') return 'several-recipients';
  const list = (Array.isArray(data.to) ? data.to : [data.to]).map(asText);
  if (list.length > 1) return 'several-recipients';
  const text = list.join();
  // The parser would leave it out, which makes another address.
  if (text.length > MAX_MAILBOX || /\p{Cc}/u.test(text)) return 'malformed';
  const [only, ...others] = addressparser(text, { flatten: true });
  if (others.length > 0) return 'several-recipients';
  const address = only?.address.trim() ?? '';
  return address.includes('@') && isAddress(address) ? address : 'malformed';
}

function meaningOf(
  type: ResendEventType,
  data: EventFields,
): { readonly meaning: Meaning; readonly details: EventFields } {
  switch (type) {
    case 'email.delivered':
      return { meaning: { fact: 'delivered' }, details: {} };
    case 'email.delivery_delayed':
      return { meaning: { fact: 'deferred' }, details: fieldsOf(data.delivery_delayed) ?? {} };
    case 'email.complained':
      return { meaning: { fact: 'complained' }, details: fieldsOf(data.complaint) ?? {} };
    case 'email.bounced': {
      const details = fieldsOf(data.bounce) ?? {};
      return { meaning: bounceOf(details), details };
    }
    case 'email.suppressed': {
      const details = fieldsOf(data.suppressed) ?? {};
      return { meaning: suppressionOf(details), details };
    }
    default:
      return { meaning: { fact: 'failed' }, details: fieldsOf(data.failed) ?? {} };
  }
}

function bounceOf(details: EventFields): Meaning {
  if (SUPPRESSED.has(asText(details.subType))) return suppressionOf(details);
  return bounceOfType(details.type, statusOf(details));
}

/** Resend's own list has addresses that bounced or complained; without a word of complaint it was a bounce. */
function suppressionOf({ message, reason, type }: EventFields): Meaning {
  const isComplaint = [message, reason, type].some((text) => /complain|spam/i.test(asText(text)));
  return { fact: 'suppressed', suppression: isComplaint ? 'complaint' : 'bounce' };
}

function statusOf(details: EventFields): string | undefined {
  return enhancedStatusOf(diagnosisOf(details)) ?? enhancedStatusOf(asText(details.message));
}

/** The reply of the receiving server, else Resend's own words. */
function sentenceOf(details: EventFields): string {
  return diagnosisOf(details) || asText(details.message) || asText(details.reason);
}

/** The reply of the receiving server, which not every event has. */
function diagnosisOf({ diagnosticCode }: EventFields): string {
  return replyIn(Array.isArray(diagnosticCode) ? diagnosticCode[0] : diagnosticCode);
}

/** The documentation shows tags as an object. Older events have a list, as in a request. */
function tagOf({ tags }: EventFields, name: string): unknown {
  if (!Array.isArray(tags)) return fieldsOf(tags)?.[name];
  return tags.map(fieldsOf).find((tag) => tag?.name === name)?.value;
}
