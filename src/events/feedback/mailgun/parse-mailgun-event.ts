import addressparser from 'nodemailer/lib/addressparser';
import { enhancedStatusOf } from '../../../providers/enhanced-status.js';
import { type BounceKind, type RecipientEvent, type SuppressionReason } from '../../recipient-event.js';
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
 *     processed     Mailgun has the message; the outcome of the delivery already shows that
 *     engagement    an open or click; we count our own
 *     not-ours      it carries no email ID of ours: other software sends through the account
 *     unknown-type  a type that is not about a recipient, or a new type
 *     malformed     a field that the event needs is missing or of the wrong type
 */
type IgnoredReason = 'processed' | 'engagement' | 'not-ours' | 'unknown-type' | 'malformed';

/** The type of an event as Mailgun names it; `other` for a type that we do not know. */
const EVENT_TYPES = [
  'accepted',
  'delivered',
  'failed',
  'rejected',
  'complained',
  'unsubscribed',
  'opened',
  'clicked',
  'other',
] as const;
type MailgunEventType = (typeof EVENT_TYPES)[number];

export type ParsedMailgunEvent = ParsedProviderEvent<MailgunEventType, IgnoredReason>;

const IGNORED: Partial<Record<MailgunEventType, IgnoredReason>> = {
  accepted: 'processed',
  opened: 'engagement',
  clicked: 'engagement',
};

const MEANINGS: Partial<Record<MailgunEventType, Meaning>> = {
  delivered: { fact: 'delivered' },
  complained: { fact: 'complained' },
  unsubscribed: { fact: 'unsubscribed' },
  rejected: { fact: 'failed' },
};

/** Mailgun did not try, because the address is on one of its lists: by the reason, or by its own code. */
const SUPPRESSIONS = new Map<unknown, SuppressionReason>([
  ['suppress-bounce', 'bounce'],
  [605, 'bounce'],
  ['suppress-unsubscribe', 'unsubscribe'],
  [606, 'unsubscribe'],
  ['suppress-complaint', 'complaint'],
  [607, 'complaint'],
]);

/**
 * Only these say that the address is bad, unless Mailgun calls the bounce a soft one. Others, such as `generic`, `old`
 * and `espblock`, may pass.
 */
const HARD_REASONS: readonly unknown[] = ['bounce', 'delayed-bounce'];

const MAX_TEXT = 1000;
const MAX_RECIPIENTS = 1000;

/** Reads `event-data` of a call. Never throws. An event that names several recipients becomes one for each. */
export function parseMailgunEvent(value: unknown): ParsedMailgunEvent[] {
  const data = fieldsOf(value);
  if (!data) return [{ type: 'other', outcome: 'malformed' }];
  const type = typeAmong(EVENT_TYPES, data.event);
  return outcomesOf(type, data).map((outcome) => ({ type, outcome }));
}

function outcomesOf(type: MailgunEventType, data: EventFields): (RecipientEvent | IgnoredReason)[] {
  const ignored = IGNORED[type];
  if (ignored !== undefined) return [ignored];
  if (type === 'other') return [typeof data.event === 'string' ? 'unknown-type' : 'malformed'];
  // An empty list if there are none.
  const { mailbeacon_email_id: email } = fieldsOf(data['user-variables']) ?? {};
  if (email === undefined || email === null) return ['not-ours'];
  const meaning = meaningOf(type, data);
  const recipients = recipientsOf(data);
  const id = reportIdOf(data);
  if (!isEmailId(email) || meaning === undefined || recipients.length === 0 || id === undefined) return ['malformed'];
  return recipients.map((recipient) => toEvent(email, recipient, meaning, { id, data }));
}

function toEvent(
  email: string,
  recipient: string,
  meaning: Meaning,
  { id, data }: { readonly id: string; readonly data: EventFields },
): RecipientEvent {
  return recipientEventOf({
    ...{ email, recipient, meaning },
    time: typeof data.timestamp === 'number' ? data.timestamp * 1000 : NaN,
    reportId: `${id}:${recipient}`,
    smtpStatus: statusOf(data),
    sentence: sentenceOf(data),
  });
}

function meaningOf(type: MailgunEventType, data: EventFields): Meaning | undefined {
  if (type !== 'failed') return MEANINGS[type];
  if (data.severity === 'temporary') return { fact: 'deferred' };
  if (data.severity !== 'permanent') return undefined;
  const suppression = SUPPRESSIONS.get(data.reason) ?? SUPPRESSIONS.get(deliveryOf(data).code);
  if (suppression !== undefined) return { fact: 'suppressed', suppression };
  const smtpStatus = statusOf(data);
  const decided = smtpStatus === undefined ? undefined : bounceKindOf(smtpStatus);
  return { fact: 'bounced', bounce: decided ?? kindByReason(data) };
}

function kindByReason(data: EventFields): BounceKind {
  return HARD_REASONS.includes(data.reason) && deliveryOf(data)['bounce-type'] !== 'soft' ? 'hard' : 'soft';
}

function statusOf(data: EventFields): string | undefined {
  return enhancedStatusOf(asText(deliveryOf(data)['enhanced-code'])) ?? enhancedStatusOf(sentenceOf(data));
}

/** The reply of the receiving server, else Mailgun's own words. */
function sentenceOf(data: EventFields): string {
  const { message, description } = deliveryOf(data);
  const { reason = '', description: why = '' } = fieldsOf(data.reject) ?? {};
  return asText(message) || asText(description) || [reason, why].map(asText).filter(Boolean).join(': ');
}

function deliveryOf(data: EventFields): EventFields {
  return fieldsOf(data['delivery-status']) ?? {};
}

/** Some events about a whole message, such as `rejected`, have only its To header. */
function recipientsOf(data: EventFields): string[] {
  if (data.recipient !== undefined && data.recipient !== null) {
    const recipient = asText(data.recipient).trim();
    return isAddress(recipient) ? [recipient] : [];
  }
  const to = asText(fieldsOf(fieldsOf(data.message)?.headers)?.to);
  const found = addressparser(to, { flatten: true }).map(({ address }) => address.trim());
  return [...new Set(found.filter(isAddress))].slice(0, MAX_RECIPIENTS);
}

/**
 * Mailgun's ID is unique within a day, so the time is part of ours. Not the token of the signature: nothing says that a
 * repeated call has the same one. Without an ID, the content of the event, which is the same in a repeat.
 */
function reportIdOf(data: EventFields): string | undefined {
  const { id, timestamp, event } = data;
  const isUsable = typeof id === 'string' && id !== '' && id.length <= MAX_TEXT && typeof timestamp === 'number';
  if (isUsable) return `mailgun:${id}:${timestamp}:${String(event)}`;
  return hasTooManyFields(data) ? undefined : `mailgun-content:${contentOf(data)}`;
}
