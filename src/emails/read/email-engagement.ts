import { engagementStatsOf, type EngagementStats } from '../../events/engagement-stats.js';
import { ENGAGEMENT_CLASSES, MACHINE_CLASSES, type MachineClass } from '../../events/verdict.js';

/** Columns of `emails` from which `MACHINE_HITS` and `toEmailEngagement` derive. */
export const ENGAGEMENT_COLUMNS = 'e.opens, e.clicks, e.machine_opens, e.machine_clicks';

/** Hits of the email `e` by the code of their class. Null without machines, so that most emails read nothing more. */
export const MACHINE_HITS = `case when e.machine_opens + e.machine_clicks > 0 then (
  select json_object_agg(h.class, h.hits) from email_machine_hits h where h.email_id = e.id) end as machine_hits`;

export interface EmailEngagementRow {
  opens: string;
  clicks: string;
  machine_opens: string;
  machine_clicks: string;
  machine_hits: Readonly<Record<string, number>> | null;
}

/** Totals and who caused them. */
export interface EmailEngagement extends EngagementStats {
  readonly opens: number;
  readonly clicks: number;
}

export function toEmailEngagement(row: EmailEngagementRow): EmailEngagement {
  const [opens, clicks] = [Number(row.opens), Number(row.clicks)];
  const [machineOpens, machineClicks] = [Number(row.machine_opens), Number(row.machine_clicks)];
  const hitsOf = (machine: MachineClass): number => row.machine_hits?.[ENGAGEMENT_CLASSES.indexOf(machine)] ?? 0;
  const byClass = Object.fromEntries(MACHINE_CLASSES.map((machine) => [machine, hitsOf(machine)]));
  const stats = engagementStatsOf({
    ...{ emails: 1, opens, clicks, machineOpens, machineClicks },
    uniqueOpens: Math.min(1, opens - machineOpens),
    uniqueClicks: Math.min(1, clicks - machineClicks),
    byClass: byClass as Record<MachineClass, number>,
  });
  return { opens, clicks, ...stats };
}
