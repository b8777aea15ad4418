/**
 * What an organization can be told of by webhook. A new one goes here; then the compiler lists what its body
 * (`webhooks/webhook-bodies.ts`) and its description (`webhooks/webhook-docs.ts`) lack.
 */
export const WEBHOOK_EVENTS = ['EMAIL_SENT', 'EMAIL_FAILED', 'EMAIL_OPENED', 'EMAIL_CLICKED'] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Sent on request to a single endpoint, whatever it listens to. */
export const TEST_EVENT = 'WEBHOOK_TEST';

export function isWebhookEvent(text: unknown): text is WebhookEventType {
  return WEBHOOK_EVENTS.some((type) => type === text);
}
