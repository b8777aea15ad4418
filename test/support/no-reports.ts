import type { CampaignStats } from '../../src/campaigns/campaign-stats.js';

/** The statistics of a campaign that change with reports about its recipients, before the first report. */
export const NO_REPORTS = {
  delivered: 0,
  deferred: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  suppressed: 0,
} satisfies Partial<CampaignStats>;
