import type { CampaignStats } from '../../src/campaigns/campaign-stats.js';

/** The part of a campaign's statistics that reports about its recipients move, before the first report. */
export const NO_REPORTS = {
  delivered: 0,
  deferred: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  suppressed: 0,
} satisfies Partial<CampaignStats>;
