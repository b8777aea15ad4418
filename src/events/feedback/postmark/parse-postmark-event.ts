import { enhancedStatusOf } from '../../../providers/enhanced-status.js';
import { type RecipientEvent } from '../../recipient-event.js';
import { bounceKindOf } from '../bounce-kind.js';
import {
  contentOf,
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

/**
 * Why an event is not stored:
 *
 *     engagement    an open or click; we count our own
 *     repeated      a bounce or complaint put the address on Postmark's list; that event is reported, too
 *     not-ours      it carries no email ID of ours: other software sends through the server, or it is a test
 *     unknown-type  a type that is not about a recipient, or a new type
 *     malformed     a field that the event needs is missing or of the wrong type
 */
type IgnoredReason = 'engagement' | 'repeated' | 'not-ours' | 'unknown-type' | 'malformed';

/** The type of an event as Postmark names it; `other` for a type that we do not know. */
const RECORD_TYPES = ['Delivery', 'Bounce', 'SpamComplaint', 'SubscriptionChange', 'Open', 'Click', 'other'] as const;
type RecordType = (typeof RECORD_TYPES)[number];

export type ParsedPostmarkEvent = ParsedProviderEvent<RecordType, IgnoredReason>;

const HARD: Meaning = { fact: 'bounced', bounce: 'hard' };
const SOFT: Meaning = { fact: 'bounced', bounce: 'soft' };
const NOTED: Meaning = { fact: 'noted' };
const FAILED: Meaning = { fact: 'failed' };

/** Postmark's types of bounces. Those that are only noted say nothing about the delivery, or are replies to it. */
const BOUNCE_TYPES = new Map<unknown, Meaning>([
  ['HardBounce', HARD],
  ['BadEmailAddress', HARD],
  ['SoftBounce', SOFT],
  ['Unknown', SOFT],
  ['DnsError', SOFT],
  ['Blocked', SOFT],
  ['SpamNotification', SOFT],
  ['VirusNotification', SOFT],
  ['DMARCPolicy', SOFT],
  // The message is delayed; Postmark keeps trying.
  ['Transient', { fact: 'deferred' }],
  ['SpamComplaint', { fact: 'complained' }],
  ['Unsubscribe', { fact: 'unsubscribed' }],
  ['Subscribe', NOTED],
  ['AutoResponder', NOTED],
  ['AddressChange', NOTED],
  ['ChallengeVerification', NOTED],
  ['OpenRelayTest', NOTED],
  ['ManuallyDeactivated', NOTED],
  ['Unconfirmed', NOTED],
  ['InboundError', NOTED],
  ['SMTPApiError', FAILED],
  ['TemplateRenderingFailed', FAILED],
]);

/** For these, the status decides: the name of a domain that does not exist causes a DNS error, too. */
const DECIDED_BY_STATUS: readonly unknown[] = ['SoftBounce', 'Unknown', 'DnsError'];

/** Reads the body of a call. Never throws. */
export function parsePostmarkEvent(value: unknown): ParsedPostmarkEvent {
  const fields = fieldsOf(value);
  if (!fields) return { type: 'other', outcome: 'malformed' };
  const type = typeAmong(RECORD_TYPES, fields.RecordType);
  return { type, outcome: outcomeOf(type, fields) };
}

function outcomeOf(type: RecordType, fields: EventFields): RecipientEvent | IgnoredReason {
  if (type === 'Open' || type === 'Click') return 'engagement';
  if (type === 'other') return typeof fields.RecordType === 'string' ? 'unknown-type' : 'malformed';
  const { mailbeacon_email_id: email } = fieldsOf(fields.Metadata) ?? {};
  if (email === undefined || email === null) return 'not-ours';
  const recipient = (asText(fields.Recipient) || asText(fields.Email)).trim();
  if (!isEmailId(email) || !isAddress(recipient)) return 'malformed';
  const sentence = sentenceOf(fields);
  const smtpStatus = enhancedStatusOf(sentence);
  const meaning = meaningOf(type, fields, smtpStatus);
  if (typeof meaning === 'string') return meaning;
  const reportId = `postmark:${reportIdOf(fields)}:${recipient}`;
  return recipientEventOf({ email, recipient, time: timeOf(fields), reportId, meaning, smtpStatus, sentence });
}

function meaningOf(type: RecordType, fields: EventFields, smtpStatus: string | undefined): Meaning | IgnoredReason {
  if (type === 'Delivery') return { fact: 'delivered' };
  if (type === 'SpamComplaint') return { fact: 'complained' };
  if (type === 'SubscriptionChange') return changeOf(fields);
  if (typeof fields.Type !== 'string') return 'malformed';
  const decided = smtpStatus === undefined ? undefined : bounceKindOf(smtpStatus);
  if (decided !== undefined && DECIDED_BY_STATUS.includes(fields.Type)) return { fact: 'bounced', bounce: decided };
  // Postmark stops mail to an address of its own accord only when it is bad.
  return BOUNCE_TYPES.get(fields.Type) ?? (fields.Inactive === true ? HARD : SOFT);
}

/** Only what the recipient decided changes the email. Operators of the account change Postmark's list, not ours. */
function changeOf({
  SuppressSending: suppresses,
  SuppressionReason: reason,
  Origin: origin,
}: EventFields): Meaning | IgnoredReason {
  if (typeof suppresses !== 'boolean') return 'malformed';
  if (suppresses && (reason === 'HardBounce' || reason === 'SpamComplaint')) return 'repeated';
  if (origin !== 'Recipient') return NOTED;
  return { fact: suppresses ? 'unsubscribed' : 'resubscribed' };
}

/** The reply of the receiving server, which may be marked as such (RFC 3464, 2.3.6), else Postmark's own words. */
function sentenceOf({ Details: details, Description: description }: EventFields): string {
  return asText(details).replace(/^\s*smtp; */i, '') || asText(description);
}

function timeOf({ DeliveredAt, BouncedAt, ChangedAt }: EventFields): number {
  const text = [DeliveredAt, BouncedAt, ChangedAt].map(asText).find((one) => one !== '') ?? '';
  return Date.parse(text);
}

/** What identifies an event. Only bounces and complaints have an ID of their own. */
function reportIdOf(fields: EventFields): string {
  const { RecordType, ID, MessageID, Type, DeliveredAt, BouncedAt, ChangedAt, SuppressSending } = fields;
  return contentOf({ RecordType, ID, MessageID, Type, DeliveredAt, BouncedAt, ChangedAt, SuppressSending });
}
