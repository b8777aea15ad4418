import type { RecipientFact } from '../events/recipient-event.js';

/** Opens and clicks, which happen any number of times. */
export const ENGAGEMENT_WEBHOOK_EVENTS = ['EMAIL_OPENED', 'EMAIL_CLICKED'] as const;

/** Events about one recipient: the facts that its state or its subscription can change to. */
export const RECIPIENT_WEBHOOK_EVENTS = [
  'EMAIL_DELIVERED',
  'EMAIL_DEFERRED',
  'EMAIL_BOUNCED',
  'EMAIL_COMPLAINED',
  'EMAIL_SUPPRESSED',
  'EMAIL_UNSUBSCRIBED',
  'EMAIL_RESUBSCRIBED',
] as const satisfies readonly `EMAIL_${Uppercase<RecipientFact>}`[];

export type RecipientWebhookType = (typeof RECIPIENT_WEBHOOK_EVENTS)[number];

/** The sending guard changed the state of the organization. Like `BUDGET_EVENT`, it is not about an email. */
export const GUARD_EVENT = 'SENDING_GUARD_CHANGED';

/** The organization has used most of a budget. */
export const BUDGET_EVENT = 'BUDGET_WARNING';

/**
 * Events that webhooks deliver. Add a new type here; the compiler then reports the missing parts of its body
 * (`webhooks/webhook-payloads.sql.ts`) and its description (`webhooks/webhook-docs.ts`).
 */
export const WEBHOOK_EVENTS = [
  'EMAIL_SENT',
  'EMAIL_FAILED',
  ...ENGAGEMENT_WEBHOOK_EVENTS,
  ...RECIPIENT_WEBHOOK_EVENTS,
  GUARD_EVENT,
  BUDGET_EVENT,
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Sent on request to a single endpoint, regardless of its subscribed events. */
export const TEST_EVENT = 'WEBHOOK_TEST';

/** Of every request to a receiver. */
export const WEBHOOK_USER_AGENT = 'Mailbeacon-Webhooks/1.0';
