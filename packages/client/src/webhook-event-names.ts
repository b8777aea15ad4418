import type { Webhook } from './api-types.js';

type Name = Webhook['events'][number];

/** The code does not compile if a name is missing here, or if the API does not know it. */
const NAMES: Readonly<Record<Name, true>> = {
  EMAIL_SENT: true,
  EMAIL_FAILED: true,
  EMAIL_OPENED: true,
  EMAIL_CLICKED: true,
  EMAIL_DELIVERED: true,
  EMAIL_DEFERRED: true,
  EMAIL_BOUNCED: true,
  EMAIL_COMPLAINED: true,
  EMAIL_SUPPRESSED: true,
  EMAIL_UNSUBSCRIBED: true,
  EMAIL_RESUBSCRIBED: true,
  SENDING_GUARD_CHANGED: true,
  BUDGET_WARNING: true,
};

/** Every event that a webhook can subscribe to. */
export const webhookEventNames = Object.keys(NAMES) as readonly Name[];
