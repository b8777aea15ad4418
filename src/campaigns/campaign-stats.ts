import type { Sql } from '../platform/database/database.js';
import { engagementStatsOf, percentage, type EngagementStats } from '../events/engagement-stats.js';
import { MACHINE_CLASSES, type MachineClass } from '../events/verdict.js';
import { CAMPAIGN_COUNTERS, CLASS_COUNTERS } from './campaign-counters.js';
import { CAMPAIGN_FACTS, type CampaignFact } from '../emails/recipients/fact-rules.js';

/** Recipients that reached each fact, each once per email. */
type RecipientStats = Readonly<Record<CampaignFact, number>>;

export interface CampaignStats extends RecipientStats, EngagementStats {
  readonly totalEmails: number;
  readonly totalOpens: number;
  readonly totalClicks: number;
  /** Percentages of the totals, by people and machines, with two decimals. */
  readonly openRate: number;
  readonly clickRate: number;
}

type Counters = Record<(typeof CAMPAIGN_COUNTERS)[number], number>;

const SUMS = CAMPAIGN_COUNTERS.map((counter) => `coalesce(sum(${counter}), 0) as ${counter}`).join(', ');

/** Recipients that were left out before they had an email, of broadcasts that have begun. */
const LEFT_OUT = `select coalesce(sum(suppressed), 0) from broadcasts where campaign_id = $1 and started_at is not null`;

/** Sums the few rows of counters that a campaign has. */
export async function readCampaignStats(sql: Sql, campaignId: string): Promise<CampaignStats> {
  const [row] = await sql.query(
    `select ${SUMS}, (${LEFT_OUT}) as left_out from campaign_totals where campaign_id = $1`,
    [campaignId],
  );
  const sums = Object.fromEntries(CAMPAIGN_COUNTERS.map((counter) => [counter, Number(row![counter])])) as Counters;
  sums.suppressed += Number(row!['left_out']);
  return {
    totalEmails: sums.emails,
    totalOpens: sums.opens,
    totalClicks: sums.clicks,
    openRate: percentage(sums.opens, sums.emails),
    clickRate: percentage(sums.clicks, sums.emails),
    ...engagementStatsOf({
      ...{ emails: sums.emails, opens: sums.opens, clicks: sums.clicks },
      ...{ machineOpens: sums.machine_opens, machineClicks: sums.machine_clicks },
      ...{ uniqueOpens: sums.unique_opens, uniqueClicks: sums.unique_clicks },
      byClass: byClassOf(sums),
    }),
    ...(Object.fromEntries(CAMPAIGN_FACTS.map((fact) => [fact, sums[fact]])) as RecipientStats),
  };
}

function byClassOf(sums: Counters): Record<MachineClass, number> {
  const hits = MACHINE_CLASSES.map((machine) => [machine, sums[CLASS_COUNTERS[machine]]]);
  return Object.fromEntries(hits) as Record<MachineClass, number>;
}
