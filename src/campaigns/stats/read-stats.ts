import type { Sql } from '../../platform/database/database.js';
import { ALL_CAMPAIGNS, HOURLY_FACTS, STAT_COUNTERS, type HourlyFact, type StatCounter } from './stat-counters.js';
import type { StatsInterval, StatsRange } from './stats-range.js';

/** The figures of one period. */
export interface StatsFigures extends Readonly<Record<HourlyFact, number>> {
  readonly emails: number;
  readonly sent: number;
  readonly failed: number;
  /** By people and machines. */
  readonly opens: number;
  readonly clicks: number;
  readonly people: {
    readonly opens: number;
    readonly clicks: number;
    readonly uniqueOpens: number;
    readonly uniqueClicks: number;
  };
  readonly machines: { readonly opens: number; readonly clicks: number };
}

export interface StatsPoint extends StatsFigures {
  /** Start of the interval. */
  readonly at: string;
}

export interface StatsView {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly interval: StatsInterval;
  readonly points: readonly StatsPoint[];
  readonly totals: StatsFigures;
}

type Counts = Readonly<Record<StatCounter, number>>;

const COUNTERS = STAT_COUNTERS.join(', ');
/** Sums of floats take half the time of those of bigints, and are as exact below 2^53. */
const SUMS = STAT_COUNTERS.map((counter) => `coalesce(sum(${counter}::float8), 0) as ${counter}`).join(', ');

/**
 * The start of the interval that contains an hour, in milliseconds. Arithmetic takes a fraction of the time of
 * date_trunc.
 */
const BEGINS: Readonly<Record<StatsInterval, string>> = {
  hour: `date_part('epoch', hour) * 1000`,
  day: `floor(date_part('epoch', hour) / 86400) * 86400000`,
  // Weeks begin on Monday, and 1970 began on a Thursday.
  week: `(floor((date_part('epoch', hour) / 86400 + 3) / 7) * 7 - 3) * 86400000`,
  month: `date_part('epoch', date_trunc('month', hour, 'UTC')) * 1000`,
};

/**
 * Folded and unfolded figures, in one snapshot. $1 organization, $2 campaign or `ALL_CAMPAIGNS`, $3 and $4 the
 * range in milliseconds.
 */
const readPoints = (interval: StatsInterval): string => `
select ${BEGINS[interval]} as at, ${SUMS} from (
  select hour, ${COUNTERS} from hourly_stats
   where organization_id = $1 and campaign_id = $2
     and hour >= to_timestamp($3::float8 / 1000) and hour < to_timestamp($4::float8 / 1000)
  union all
  select hour, ${COUNTERS} from stat_deltas
   where organization_id = $1 and (campaign_id = $2 or $2 = '${ALL_CAMPAIGNS}')
     and hour >= to_timestamp($3::float8 / 1000) and hour < to_timestamp($4::float8 / 1000)
) counted group by 1`;

/** @param campaignId undefined for all emails of the organization */
export async function readStats(
  sql: Sql,
  organizationId: string,
  campaignId: string | undefined,
  { interval, starts, to }: StatsRange,
): Promise<StatsView> {
  const from = starts[0]!;
  const rows = await sql.prepared<Counts & { at: number }>(`read-stats-${interval}`, readPoints(interval), [
    ...[organizationId, campaignId ?? ALL_CAMPAIGNS],
    ...[from, to],
  ]);
  const counts = new Map(rows.map((row) => [row.at, row]));
  const total = Object.fromEntries(
    STAT_COUNTERS.map((counter) => [counter, rows.reduce((sum, row) => sum + row[counter], 0)]),
  ) as Counts;
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    interval,
    points: starts.map((at) => ({ at: new Date(at).toISOString(), ...figuresOf(counts.get(at) ?? NOTHING) })),
    totals: figuresOf(total),
  };
}

const NOTHING = Object.fromEntries(STAT_COUNTERS.map((counter) => [counter, 0])) as Counts;

/** People caused every hit that machines did not. */
function figuresOf(counts: Counts): StatsFigures {
  const { emails, sent, failed, opens, clicks } = counts;
  return {
    ...{ emails, sent, failed },
    ...(Object.fromEntries(HOURLY_FACTS.map((fact) => [fact, counts[fact]])) as Record<HourlyFact, number>),
    ...{ opens, clicks },
    people: {
      opens: opens - counts.machine_opens,
      clicks: clicks - counts.machine_clicks,
      uniqueOpens: counts.unique_opens,
      uniqueClicks: counts.unique_clicks,
    },
    machines: { opens: counts.machine_opens, clicks: counts.machine_clicks },
  };
}
