import type { MachineClass } from './verdict.js';

/** Opens and clicks by people, of an email or of all emails of a campaign. */
export interface PeopleStats {
  readonly opens: number;
  readonly clicks: number;
  /** Emails with at least one open by a person. */
  readonly uniqueOpens: number;
  readonly uniqueClicks: number;
  /** Unique opens and clicks per hundred emails, two decimals; never above 100. */
  readonly openRate: number;
  readonly clickRate: number;
}

/** Opens and clicks by machines. Together with those by people they are the totals. */
export interface MachineStats {
  readonly opens: number;
  readonly clicks: number;
  /** Opens and clicks together. */
  readonly byClass: Readonly<Record<MachineClass, number>>;
}

export interface EngagementStats {
  readonly people: PeopleStats;
  readonly machines: MachineStats;
}

/** Counters of emails, from which their statistics derive. */
export interface EngagementCounts {
  readonly emails: number;
  readonly opens: number;
  readonly clicks: number;
  readonly machineOpens: number;
  readonly machineClicks: number;
  readonly uniqueOpens: number;
  readonly uniqueClicks: number;
  readonly byClass: Readonly<Record<MachineClass, number>>;
}

/** People caused what machines did not. */
export function engagementStatsOf(counts: EngagementCounts): EngagementStats {
  const { emails, uniqueOpens, uniqueClicks, machineOpens, machineClicks, byClass } = counts;
  return {
    people: {
      opens: counts.opens - machineOpens,
      clicks: counts.clicks - machineClicks,
      uniqueOpens,
      uniqueClicks,
      openRate: Math.min(100, percentage(uniqueOpens, emails)),
      clickRate: Math.min(100, percentage(uniqueClicks, emails)),
    },
    machines: { opens: machineOpens, clicks: machineClicks, byClass },
  };
}

/** Two decimals. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;
}
