import { RECIPIENT_FACTS } from '../recipient-event.js';

const FACTS = RECIPIENT_FACTS.filter((fact) => fact !== 'noted' && fact !== 'failed');
type Fact = (typeof FACTS)[number];

/** What a live message can be about. */
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

/** Something that has changed, with the IDs of what to read again. Names nobody, so that nothing in it must be erased. */
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

/** The news of a moment as they go through Redis: JSON, without what is null. */
export type LiveMessage = LiveNews & { readonly at: string };

/** Some messages were left out: what is shown may be old. */
export interface LiveRefresh {
  readonly type: 'refresh';
  readonly at: string;
}
