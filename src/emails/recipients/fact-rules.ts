import type { RecipientFact, SuppressionReason } from '../../events/recipient-event.js';
import type { RecipientWebhookType } from '../../webhooks/webhook-events.js';

/** Facts that a campaign counts, each in a column of its name: recipients, each once per email. */
export const CAMPAIGN_FACTS = [
  'delivered',
  'deferred',
  'bounced',
  'complained',
  'unsubscribed',
  'suppressed',
] as const satisfies readonly RecipientFact[];

export type CampaignFact = (typeof CAMPAIGN_FACTS)[number];

interface FactRule {
  /** The bit in `recipient_deliveries.facts`; 0 for a fact that only the timeline shows. */
  readonly bit: number;
  /** The strongest fact is the state of the recipient; 0 for a fact that is no state. */
  readonly strength: number;
  readonly contactCounter?: 'bounces' | 'complaints';
  readonly webhook?: RecipientWebhookType;
  /** The entry that the fact adds to the suppression list. A hard bounce also adds one. */
  readonly suppression?: SuppressionReason;
}

/** The consequences of each fact. */
export const FACT_RULES: Readonly<Record<RecipientFact, FactRule>> = {
  noted: { bit: 0, strength: 0 },
  deferred: { bit: 1, strength: 1, webhook: 'EMAIL_DEFERRED' },
  failed: { bit: 32, strength: 2 },
  suppressed: { bit: 16, strength: 3, webhook: 'EMAIL_SUPPRESSED' },
  delivered: { bit: 2, strength: 4, webhook: 'EMAIL_DELIVERED' },
  bounced: { bit: 4, strength: 5, webhook: 'EMAIL_BOUNCED', contactCounter: 'bounces' },
  complained: {
    ...{ bit: 8, strength: 6, webhook: 'EMAIL_COMPLAINED', contactCounter: 'complaints', suppression: 'complaint' },
  },
  unsubscribed: { bit: 64, strength: 0, webhook: 'EMAIL_UNSUBSCRIBED', suppression: 'unsubscribe' },
  resubscribed: { bit: 0, strength: 0, webhook: 'EMAIL_RESUBSCRIBED' },
};

/** Set in addition to the bit of `bounced` once a bounce was hard. */
export const HARD_BIT = 128;

/**
 * Replaces the bit of `suppressed` when an email that left the recipient out is retried: it is no longer the state, but
 * the campaign has counted it.
 */
export const SUPPRESSED_BEFORE_BIT = 256;
