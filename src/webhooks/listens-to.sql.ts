import { ENGAGEMENT_WEBHOOK_EVENTS, RECIPIENT_WEBHOOK_EVENTS, type WebhookEventType } from './webhook-events.js';

const listensToAny = (types: readonly WebhookEventType[]): string =>
  `enabled and events && '{${types.join(',')}}'::text[]`;

/*
 * Conditions on a row of `webhook_endpoints`. A partial index of the table has each of them word for word: Postgres
 * uses the index only then.
 */
export const LISTENS_TO_ENGAGEMENT = listensToAny(ENGAGEMENT_WEBHOOK_EVENTS);
export const LISTENS_TO_RECIPIENTS = listensToAny(RECIPIENT_WEBHOOK_EVENTS);
