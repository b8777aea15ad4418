import { mailgunEvent, mailgunSignature } from '../mailgun-calls.js';
import { basic, postmarkEvent } from '../postmark-calls.js';
import { resendEvent, resendHeaders } from '../resend-calls.js';
import { EventWebhookKey, sendGridEvent } from '../sendgrid-calls.js';
import type { ProviderCall } from '../reporting-providers.js';
import type { Meaning } from './recipients.js';

/* The calls with which providers report one fact about one recipient. */

const JSON_BODY = { 'content-type': 'application/json' };
const sendGridKey = new EventWebhookKey();
const MAILGUN_KEY = 'signing-key';
const POSTMARK_CREDENTIALS = 'postmark:secret';
const RESEND_SECRET = `whsec_${Buffer.from('a secret of 24 bytes ...').toString('base64')}`;

/** The settings with which the service verifies these calls. */
export const EVENT_KEYS = {
  SENDGRID_EVENT_PUBLIC_KEY: sendGridKey.publicKey,
  MAILGUN_EVENT_SIGNING_KEY: MAILGUN_KEY,
  POSTMARK_EVENT_CREDENTIALS: POSTMARK_CREDENTIALS,
  RESEND_EVENT_SECRET: RESEND_SECRET,
};

export type ReportedMeaning = Exclude<Meaning, object> | 'as bounce' | 'as complaint' | 'as unsubscribe';

export interface ModelReport {
  readonly emailId: string;
  readonly address: string;
  /** In milliseconds, whole seconds. */
  readonly at: number;
  /** Tells reports apart; a repeat has the same. */
  readonly number: number;
}

type Fields = readonly [type: string, more?: object];
type Meanings = Partial<Record<ReportedMeaning, Fields>>;

const SENDGRID = {
  deferred: ['deferred'],
  delivered: ['delivered'],
  hard: ['bounce', { type: 'bounce', status: '5.1.1' }],
  soft: ['bounce', { type: 'blocked' }],
  complained: ['spamreport'],
  failed: ['dropped', { reason: 'Too many recipients' }],
  unsubscribed: ['group_unsubscribe', { asm_group_id: 7 }],
  resubscribed: ['group_resubscribe', { asm_group_id: 7 }],
  'as bounce': ['dropped', { reason: 'Bounced Address' }],
  'as complaint': ['dropped', { reason: 'Spam Reporting Address' }],
  'as unsubscribe': ['dropped', { reason: 'Unsubscribed Address' }],
} satisfies Meanings;

const MAILGUN: Meanings = {
  deferred: ['failed', { severity: 'temporary' }],
  delivered: ['delivered'],
  hard: ['failed', { severity: 'permanent', reason: 'bounce' }],
  soft: ['failed', { severity: 'permanent', reason: 'generic' }],
  complained: ['complained'],
  failed: ['rejected'],
  unsubscribed: ['unsubscribed'],
  'as bounce': ['failed', { severity: 'permanent', reason: 'suppress-bounce' }],
  'as complaint': ['failed', { severity: 'permanent', reason: 'suppress-complaint' }],
  'as unsubscribe': ['failed', { severity: 'permanent', reason: 'suppress-unsubscribe' }],
};

const POSTMARK: Meanings = {
  deferred: ['Bounce', { Type: 'Transient' }],
  delivered: ['Delivery'],
  hard: ['Bounce', { Type: 'HardBounce' }],
  soft: ['Bounce', { Type: 'SoftBounce' }],
  complained: ['SpamComplaint'],
  failed: ['Bounce', { Type: 'SMTPApiError' }],
  unsubscribed: ['SubscriptionChange', { SuppressSending: true, Origin: 'Recipient' }],
  resubscribed: ['SubscriptionChange', { SuppressSending: false, Origin: 'Recipient' }],
};

const RESEND: Meanings = {
  deferred: ['email.delivery_delayed'],
  delivered: ['email.delivered'],
  hard: ['email.bounced', { bounce: { type: 'Permanent' } }],
  soft: ['email.bounced', { bounce: { type: 'Transient' } }],
  complained: ['email.complained'],
  failed: ['email.failed'],
  'as bounce': ['email.suppressed'],
  'as complaint': ['email.suppressed', { suppressed: { message: 'The recipient complained' } }],
};

interface Provider {
  readonly meanings: Meanings;
  call(fields: Fields, report: ModelReport): ProviderCall;
}

/** By the name in the address of their route. */
export const PROVIDERS = {
  sendgrid: {
    meanings: SENDGRID,
    call([type, more], { emailId, address, at, number }) {
      const about = { mailbeacon_email_id: emailId, email: address, timestamp: at / 1000, sg_event_id: `e${number}` };
      const body = JSON.stringify([sendGridEvent(type, { ...about, ...more })]);
      return { body, headers: sendGridKey.sign(body) };
    },
  },
  mailgun: {
    meanings: MAILGUN,
    call([type, more], { emailId, address, at, number }) {
      const about = { id: `e${number}`, timestamp: at / 1000, recipient: address };
      const event = mailgunEvent(type, { ...about, 'user-variables': { mailbeacon_email_id: emailId }, ...more });
      return {
        body: JSON.stringify({ signature: mailgunSignature(MAILGUN_KEY), 'event-data': event }),
        headers: JSON_BODY,
      };
    },
  },
  postmark: {
    meanings: POSTMARK,
    call([type, more], { emailId, address, at, number }) {
      const time = new Date(at).toISOString();
      const about =
        type === 'Bounce' || type === 'SpamComplaint' ? { ID: number, Email: address } : { Recipient: address };
      const times = { Delivery: { DeliveredAt: time }, SubscriptionChange: { ChangedAt: time } }[type] ?? {
        BouncedAt: time,
      };
      const names = { MessageID: `message-${number}`, Metadata: { mailbeacon_email_id: emailId } };
      const body = JSON.stringify(postmarkEvent(type, { ...about, ...times, ...names, ...more }));
      return { body, headers: { ...JSON_BODY, authorization: basic(POSTMARK_CREDENTIALS) } };
    },
  },
  resend: {
    meanings: RESEND,
    call([type, more], { emailId, address, at, number }) {
      const tags = { mailbeacon_email_id: emailId, mailbeacon_recipients: '1' };
      const event = { ...resendEvent(type, { to: [address], tags, ...more }), created_at: new Date(at).toISOString() };
      const body = JSON.stringify(event);
      return { body, headers: resendHeaders(RESEND_SECRET, body, { id: `msg_e${number}` }) };
    },
  },
} satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;

export const REPORTED_MEANINGS = Object.keys(SENDGRID) as ReportedMeaning[];

/** The provider's call, or SendGrid's if the provider has no such event. */
export function providerCall(
  name: ProviderName,
  meaning: ReportedMeaning,
  report: ModelReport,
): { readonly path: string; readonly call: ProviderCall } {
  const fields = PROVIDERS[name].meanings[meaning];
  const [path, call] = fields
    ? [name, PROVIDERS[name].call(fields, report)]
    : (['sendgrid', PROVIDERS.sendgrid.call(SENDGRID[meaning], report)] as const);
  return { path: `/api/providers/${path}/events`, call };
}

export function meaningOf(reported: ReportedMeaning): Meaning {
  switch (reported) {
    case 'as bounce':
      return { suppressed: 'bounce' };
    case 'as complaint':
      return { suppressed: 'complaint' };
    case 'as unsubscribe':
      return { suppressed: 'unsubscribe' };
    default:
      return reported;
  }
}
