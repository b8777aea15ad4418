/** Facts that are counted by the hour, each in a column of its name in `stat_deltas` and `hourly_stats`. */
export const STAT_COUNTERS = [
  ...(['emails', 'sent', 'failed', 'delivered', 'deferred', 'bounced', 'complained', 'unsubscribed'] as const),
  ...(['opens', 'clicks', 'machine_opens', 'machine_clicks', 'unique_opens', 'unique_clicks'] as const),
] as const;

export type StatCounter = (typeof STAT_COUNTERS)[number];

/** Stands for all emails of an organization, with and without a campaign. */
export const ALL_CAMPAIGNS = '00000000-0000-0000-0000-000000000000';

export const HOUR_MS = 3_600_000;
