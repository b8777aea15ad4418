/**
 * Events that webhooks deliver. Add a new type here; the compiler then reports the missing parts of its body
 * (`webhooks/webhook-payloads.sql.ts`) and its description (`webhooks/webhook-docs.ts`).
 */
export const WEBHOOK_EVENTS = ['EMAIL_SENT', 'EMAIL_FAILED', 'EMAIL_OPENED', 'EMAIL_CLICKED'] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Sent on request to a single endpoint, regardless of its subscribed events. */
export const TEST_EVENT = 'WEBHOOK_TEST';
