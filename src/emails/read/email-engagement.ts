import { engagementStatsOf, type EngagementStats } from '../../events/engagement-stats.js';
import { ENGAGEMENT_CLASSES, MACHINE_CLASSES, type MachineClass } from '../../events/verdict.js';

/** Columns of `emails` from which the totals of an email, by people and machines, are derived. */
export const ENGAGEMENT_COLUMNS = 'e.opens, e.clicks, e.machine_opens, e.machine_clicks';

/**
 * Hits of the email `e` by the code of their class. Null if machines caused none, so that such emails need no further
 * reads.
 */
export const HITS_BY_CLASS = `case when e.machine_opens + e.machine_clicks > 0 then (
  select json_object_agg(h.class, h.hits) from email_machine_hits h where h.email_id = e.id) end as machine_hits`;

export interface EmailHitsRow {
  opens: string;
  clicks: string;
  machine_opens: string;
  machine_clicks: string;
}

export interface EmailEngagementRow extends EmailHitsRow {
  machine_hits: Readonly<Record<string, number>> | null;
}

export interface Hits {
  readonly opens: number;
  readonly clicks: number;
}

/** Totals, and the hits by people and by machines. */
export interface EmailHits extends Hits {
  readonly people: Hits;
  readonly machines: Hits;
}

/** Totals, by people and machines. */
export interface EmailEngagement extends Hits, EngagementStats {}

export function toEmailHits(row: EmailHitsRow): EmailHits {
  const [opens, clicks] = [Number(row.opens), Number(row.clicks)];
  const machines = { opens: Number(row.machine_opens), clicks: Number(row.machine_clicks) };
  return { opens, clicks, people: { opens: opens - machines.opens, clicks: clicks - machines.clicks }, machines };
}

export function toEmailEngagement(row: EmailEngagementRow): EmailEngagement {
  const { opens, clicks, people, machines } = toEmailHits(row);
  const stats = engagementStatsOf({
    emails: 1,
    opens,
    clicks,
    machineOpens: machines.opens,
    machineClicks: machines.clicks,
    uniqueOpens: Math.min(1, people.opens),
    uniqueClicks: Math.min(1, people.clicks),
    byClass: byClassOf(row),
  });
  return { opens, clicks, people: stats.people, machines: stats.machines };
}

/** Hits are kept by the position of their class in `ENGAGEMENT_CLASSES`. */
const POSITIONS = MACHINE_CLASSES.map((machine) => [machine, ENGAGEMENT_CLASSES.indexOf(machine)] as const);

function byClassOf({ machine_hits: hits }: EmailEngagementRow): Record<MachineClass, number> {
  const byClass = POSITIONS.map(([machine, position]) => [machine, hits?.[position] ?? 0]);
  return Object.fromEntries(byClass) as Record<MachineClass, number>;
}
