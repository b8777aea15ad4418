import type { CampaignFact } from '../../emails/recipients/fact-rules.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

/** Facts about recipients that are counted by the hour. */
export const HOURLY_FACTS = [
  'delivered',
  'deferred',
  'bounced',
  'complained',
  'unsubscribed',
] as const satisfies readonly CampaignFact[];

export type HourlyFact = (typeof HOURLY_FACTS)[number];

/** The hourly counters; each is a column of the same name in `stat_deltas` and `hourly_stats`. */
export const STAT_COUNTERS = [
  ...(['emails', 'sent', 'failed'] as const),
  ...HOURLY_FACTS,
  ...(['opens', 'clicks', 'machine_opens', 'machine_clicks', 'unique_opens', 'unique_clicks'] as const),
] as const;

export type StatCounter = (typeof STAT_COUNTERS)[number];

/** Stands for all emails of an organization, with and without a campaign. */
export const ALL_CAMPAIGNS = NIL_UUID;

export const HOUR_MS = 3_600_000;
