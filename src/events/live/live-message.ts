import { RECIPIENT_FACTS } from '../recipient-event.js';

const FACTS = RECIPIENT_FACTS.filter((fact) => fact !== 'noted' && fact !== 'failed');
type Fact = (typeof FACTS)[number];

/** The types of live messages. */
export const LIVE_TYPES = [
  'email.accepted',
  'email.sent',
  'email.failed',
  'email.rescheduled',
  'email.canceled',
  'email.retried',
  'email.opened',
  'email.clicked',
  ...FACTS.map((fact): `email.${Fact}` => `email.${fact}`),
  'broadcast.changed',
  'webhook.failed',
] as const;

export type LiveType = (typeof LIVE_TYPES)[number];

/**
 * A change, with the IDs of the resources to read again. It names no person, so nothing in it ever has to be erased.
 */
export interface LiveNews {
  readonly type: LiveType;
  readonly emailId?: string | undefined;
  readonly campaignId?: string | null | undefined;
  readonly broadcastId?: string | undefined;
  readonly webhookId?: string | undefined;
}

/** News of an organization. */
export interface LiveReport extends LiveNews {
  readonly organizationId: string;
}

/** A message as clients get it. Fields that are null are left out. */
export type LiveMessage = LiveNews & { readonly at: string };

/** Some messages were left out: the client may show outdated data. */
export interface LiveRefresh {
  readonly type: 'refresh';
  readonly at: string;
}
