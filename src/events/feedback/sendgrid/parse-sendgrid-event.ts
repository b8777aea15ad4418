import {
  type BounceKind,
  type RecipientEvent,
  type RecipientFact,
  type SuppressionReason,
} from '../../recipient-event.js';
import { enhancedStatusOf } from '../../../providers/enhanced-status.js';
import { bounceKindOf } from '../bounce-kind.js';
import {
  contentOf,
  fieldsOf,
  hasTooManyFields,
  isAddress,
  isEmailId,
  recipientEventOf,
  typeAmong,
  asText,
  type EventFields,
  type Meaning,
  type ParsedProviderEvent,
} from '../provider-event-fields.js';

/**
 * Why an event is not stored:
 *
 *     processed     SendGrid has the message; the outcome of the delivery already shows that
 *     engagement    an open or click; we count our own
 *     not-ours      it carries no email ID of ours: other software sends through the account
 *     unknown-type  a type that is not about a recipient, or a new type
 *     malformed     a field that the event needs is missing or of the wrong type
 */
export const IGNORED_REASONS = ['processed', 'engagement', 'not-ours', 'unknown-type', 'malformed'] as const;
type IgnoredReason = (typeof IGNORED_REASONS)[number];

/** The type of an event as SendGrid names it; `other` for a type that we do not know. */
export const SENDGRID_EVENT_TYPES = [
  'processed',
  'deferred',
  'delivered',
  'dropped',
  'bounce',
  'spamreport',
  'unsubscribe',
  'group_unsubscribe',
  'group_resubscribe',
  'open',
  'click',
  'other',
] as const;
export type SendGridEventType = (typeof SENDGRID_EVENT_TYPES)[number];

export type ParsedSendGridEvent = ParsedProviderEvent<SendGridEventType, IgnoredReason>;

const MAX_EVENT_ID = 1000;

/** The reasons of dropped events that are about the address, in lower case. Any other one is about the message. */
const SUPPRESSION_BY_REASON = new Map<string, SuppressionReason>([
  ['bounced address', 'bounce'],
  ['invalid', 'bounce'],
  ['spam reporting address', 'complaint'],
  ['unsubscribed address', 'unsubscribe'],
]);

const FACT_BY_TYPE: Partial<Record<SendGridEventType, RecipientFact>> = {
  deferred: 'deferred',
  delivered: 'delivered',
  spamreport: 'complained',
  unsubscribe: 'unsubscribed',
  group_unsubscribe: 'unsubscribed',
  group_resubscribe: 'resubscribed',
};

/** Reads one element of a call's array. Never throws. */
export function parseSendGridEvent(value: unknown): ParsedSendGridEvent {
  const fields = fieldsOf(value);
  if (!fields) return { type: 'other', outcome: 'malformed' };
  const type = typeAmong(SENDGRID_EVENT_TYPES, fields.event);
  return { type, outcome: outcomeOf(type, fields) };
}

function outcomeOf(type: SendGridEventType, fields: EventFields): RecipientEvent | IgnoredReason {
  if (type === 'processed') return 'processed';
  if (type === 'open' || type === 'click') return 'engagement';
  if (type === 'other') return typeof fields.event === 'string' ? 'unknown-type' : 'malformed';
  const { mailbeacon_email_id: email } = fields;
  if (email === undefined || email === null) return 'not-ours';
  const recipient = asText(fields.email).trim();
  if (!isEmailId(email) || !isAddress(recipient)) return 'malformed';
  const reportId = reportIdOf(fields);
  if (reportId === undefined) return 'malformed';
  const sentence = asText(fields.reason) || asText(fields.response);
  const smtpStatus = enhancedStatusOf(asText(fields.status)) ?? enhancedStatusOf(sentence);
  return recipientEventOf({
    ...{ email, recipient, smtpStatus, sentence, reportId },
    time: timeOf(fields),
    meaning: meaningOf(type, fields, smtpStatus),
  });
}

function meaningOf(type: SendGridEventType, fields: EventFields, smtpStatus: string | undefined): Meaning {
  if (type === 'bounce') return { fact: 'bounced', bounce: kindOf(fields.type, smtpStatus) };
  const fact = FACT_BY_TYPE[type];
  if (fact !== undefined) return { fact };
  const suppression = SUPPRESSION_BY_REASON.get(asText(fields.reason).trim().toLowerCase());
  return suppression === undefined ? { fact: 'failed' } : { fact: 'suppressed', suppression };
}

/**
 * Blocked and expired messages may be accepted later, so these bounces are soft. Any other bounce is hard unless its
 * status says otherwise.
 */
function kindOf(type: unknown, smtpStatus: string | undefined): BounceKind {
  if (type === 'blocked' || type === 'expired') return 'soft';
  return (smtpStatus !== undefined && bounceKindOf(smtpStatus)) || 'hard';
}

function timeOf({ timestamp }: EventFields): number {
  const seconds = typeof timestamp === 'number' ? timestamp : parseInt(asText(timestamp), 10);
  return Math.trunc(seconds) * 1000;
}

/** SendGrid's ID of the event, or else its content, which is the same in a repeat. */
function reportIdOf(fields: EventFields): string | undefined {
  const { sg_event_id: id } = fields;
  if (typeof id === 'string' && id !== '' && id.length <= MAX_EVENT_ID) return `sendgrid:${id}`;
  return hasTooManyFields(fields) ? undefined : `sendgrid-content:${contentOf(fields)}`;
}
