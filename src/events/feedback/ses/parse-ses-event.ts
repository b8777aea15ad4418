import { enhancedStatusOf } from '../../../providers/enhanced-status.js';
import { type RecipientEvent } from '../../recipient-event.js';
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
import { bounceOfType, replyIn, SUPPRESSED } from '../ses-words.js';
import { readComplaint } from './ses-complaint.js';

/**
 * Why an event is not stored:
 *
 *     sent          SES has the message; the outcome of the delivery already shows that
 *     engagement    an open or click; we count our own
 *     preferences   a change of topics in a contact list of SES, from which the recipient did not unsubscribe wholly
 *     not-ours      it carries no email ID of ours: other software sends through the account
 *     unknown-type  a new type
 *     malformed     a field that the event needs is missing or of the wrong type
 */
type IgnoredReason = 'sent' | 'engagement' | 'preferences' | 'not-ours' | 'unknown-type' | 'malformed';

/** The type of an event as SES names it; `other` for a type that we do not know. */
const SES_EVENT_TYPES = [
  'Send',
  'Delivery',
  'DeliveryDelay',
  'Bounce',
  'Complaint',
  'Reject',
  'Rendering Failure',
  'Subscription',
  'Open',
  'Click',
  'other',
] as const;
type SesEventType = (typeof SES_EVENT_TYPES)[number];

export type ParsedSesEvent = ParsedProviderEvent<SesEventType, IgnoredReason>;

/** What a type says, and about which recipients. */
interface Report {
  readonly meaningOf: (smtpStatus: string | undefined, address: string) => Meaning;
  readonly details: EventFields;
  /** Each an address, or an object that describes one. */
  readonly recipients: unknown;
  /** For a recipient without a sentence of its server. */
  readonly reason?: string;
}

/** More than SES accepts in a message. */
const MAX_RECIPIENTS = 100;

/** Reads an event, which may concern several recipients. Never throws. */
export function parseSesEvent(value: unknown): ParsedSesEvent[] {
  const fields = fieldsOf(value);
  if (!fields) return [{ type: 'other', outcome: 'malformed' }];
  // The name of the field in notifications that belong to an identity instead of a configuration set.
  const name = fields.eventType ?? fields.notificationType;
  const type = typeAmong(SES_EVENT_TYPES, name);
  const outcomes = outcomesOf(type, name, fields);
  return Array.isArray(outcomes) ? outcomes.map((outcome) => ({ type, outcome })) : [{ type, outcome: outcomes }];
}

function outcomesOf(
  type: SesEventType,
  name: unknown,
  fields: EventFields,
): IgnoredReason | (RecipientEvent | IgnoredReason)[] {
  if (type === 'Send') return 'sent';
  if (type === 'Open' || type === 'Click') return 'engagement';
  if (type === 'other') return typeof name === 'string' ? 'unknown-type' : 'malformed';
  const mail = fieldsOf(fields.mail) ?? {};
  const id = firstOf(fieldsOf(mail.tags)?.mailbeacon_email_id);
  if (id === undefined) return 'not-ours';
  if (!isEmailId(id)) return 'malformed';
  const report = reportOf(type, fields, mail);
  if (report === 'preferences') return report;
  const recipients = recipientsIn(mail, report.recipients);
  if (recipients.length === 0 || hasTooManyFields(report.details)) return 'malformed';
  return recipients.map((one) => outcomeOf(type, id, report, mail, one));
}

/**
 * The position of the only recipient of the message, which we pass to SES. The address in a bounce comes from the
 * receiving server, which may have forwarded the message or use another name for the mailbox.
 */
function onlyRecipientIn({ tags }: EventFields): number | undefined {
  const position = firstOf(fieldsOf(tags)?.mailbeacon_recipient);
  return typeof position === 'string' && /^\d{1,4}$/.test(position) ? Number(position) : undefined;
}

/** The recipients that an event names, of which the only one of its message is enough; none if they are malformed. */
function recipientsIn(mail: EventFields, named: unknown): unknown[] {
  if (!Array.isArray(named) || named.length > MAX_RECIPIENTS) return [];
  return onlyRecipientIn(mail) === undefined ? named : named.slice(0, 1);
}

/** @param described an address, or an object that describes one */
function addressOf(described: unknown): string {
  return (typeof described === 'string' ? described : asText(fieldsOf(described)?.emailAddress)).trim();
}

function outcomeOf(
  type: SesEventType,
  email: string,
  { meaningOf, details, reason: common = '' }: Report,
  mail: EventFields,
  described: unknown,
): RecipientEvent | IgnoredReason {
  const own = fieldsOf(described) ?? {};
  const address = addressOf(described);
  if (!isAddress(address)) return 'malformed';
  const recipient = onlyRecipientIn(mail) ?? address;
  const sentence = replyIn(own.diagnosticCode) || common;
  const smtpStatus = enhancedStatusOf(asText(own.status)) ?? enhancedStatusOf(sentence);
  // An event of a message without its own ID is the same in a repeat, so its content identifies it.
  const content = contentOf({ ...details, type, recipient, message: asText(mail.messageId) });
  const time = Date.parse(asText(details.timestamp) || asText(mail.timestamp));
  const meaning = meaningOf(smtpStatus, address);
  return recipientEventOf({ email, recipient, time, reportId: `ses:${content}`, meaning, smtpStatus, sentence });
}

function reportOf(type: SesEventType, fields: EventFields, mail: EventFields): Report | 'preferences' {
  const all = mail.destination;
  switch (type) {
    case 'Delivery': {
      const details = fieldsOf(fields.delivery) ?? {};
      const reason = asText(details.smtpResponse);
      return { meaningOf: () => ({ fact: 'delivered' }), details, recipients: details.recipients, reason };
    }
    case 'DeliveryDelay': {
      const details = fieldsOf(fields.deliveryDelay) ?? {};
      const reason = asText(details.delayType);
      return { meaningOf: () => ({ fact: 'deferred' }), details, recipients: details.delayedRecipients, reason };
    }
    case 'Bounce': {
      const details = fieldsOf(fields.bounce) ?? {};
      return { meaningOf: (status) => bounceOf(details, status), details, recipients: details.bouncedRecipients };
    }
    case 'Complaint': {
      const details = fieldsOf(fields.complaint) ?? {};
      const recipients = recipientsIn(mail, details.complainedRecipients);
      const { meaningFor, reason } = readComplaint(details, recipients.map(addressOf));
      return { meaningOf: (_, address) => meaningFor(address), details, recipients, reason };
    }
    case 'Subscription': {
      const details = fieldsOf(fields.subscription) ?? {};
      if (fieldsOf(details.newTopicPreferences)?.unsubscribeAll !== true) return 'preferences';
      return { meaningOf: () => ({ fact: 'unsubscribed' }), details, recipients: all };
    }
    default: {
      const details = fieldsOf(type === 'Reject' ? fields.reject : fields.failure) ?? {};
      const reason = asText(details.reason) || asText(details.errorMessage);
      return { meaningOf: () => ({ fact: 'failed' }), details, recipients: all, reason };
    }
  }
}

function bounceOf({ bounceType, bounceSubType }: EventFields, smtpStatus: string | undefined): Meaning {
  if (SUPPRESSED.has(asText(bounceSubType))) return { fact: 'suppressed', suppression: 'bounce' };
  if (bounceSubType === 'UnsubscribedRecipient') return { fact: 'suppressed', suppression: 'unsubscribe' };
  return bounceOfType(bounceType, smtpStatus);
}

/** Tags have a list of values. */
function firstOf(values: unknown): unknown {
  return Array.isArray(values) ? (values[0] as unknown) : undefined;
}
