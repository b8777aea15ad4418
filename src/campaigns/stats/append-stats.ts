import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { HOUR_MS, STAT_COUNTERS, type StatCounter } from './stat-counters.js';

/** The hour and campaign for which figures count. */
interface StatOwner {
  readonly organizationId: string;
  readonly campaignId: string | null;
}

type HourCounts = Partial<Record<StatCounter, number>>;

/** What one transaction adds to the figures, by campaign and hour. */
export class HourDeltas {
  private readonly byOwner = new Map<string, { readonly owner: StatOwner; readonly hours: Map<number, HourCounts> }>();

  /** @param at a time in the hour, in milliseconds */
  add(owner: StatOwner, at: number, counter: StatCounter, by: number): void {
    if (by === 0) return;
    const counts = this.countsOf(owner, at - (at % HOUR_MS));
    counts[counter] = (counts[counter] ?? 0) + by;
  }

  get rows(): readonly { readonly owner: StatOwner; readonly hour: number; readonly counts: HourCounts }[] {
    return [...this.byOwner.values()].flatMap(({ owner, hours }) =>
      [...hours].map(([hour, counts]) => ({ owner, hour, counts })),
    );
  }

  private countsOf(owner: StatOwner, hour: number): HourCounts {
    const key = owner.campaignId ?? owner.organizationId;
    let known = this.byOwner.get(key);
    if (!known) this.byOwner.set(key, (known = { owner, hours: new Map() }));
    let counts = known.hours.get(hour);
    if (!counts) known.hours.set(hour, (counts = {}));
    return counts;
  }
}

/** $1 organizations, $2 campaigns, $3 hours in milliseconds, then the increments of each counter. */
const APPEND = `
insert into stat_deltas (organization_id, campaign_id, hour, ${STAT_COUNTERS.join(', ')})
select organization_id, campaign_id, to_timestamp(milliseconds / 1000), ${STAT_COUNTERS.join(', ')}
from unnest($1::uuid[], $2::uuid[], $3::float8[], ${STAT_COUNTERS.map((_, index) => `$${index + 4}::bigint[]`).join(', ')})
  as new (organization_id, campaign_id, milliseconds, ${STAT_COUNTERS.join(', ')})`;

/** Takes no locks. */
export async function appendStats(sql: Sql, { rows }: HourDeltas): Promise<void> {
  if (rows.length === 0) return;
  await sql.prepared('append-stats', APPEND, [
    plainArray(rows.map(({ owner }) => owner.organizationId)),
    plainArray(rows.map(({ owner }) => owner.campaignId ?? 'null')),
    plainArray(rows.map(({ hour }) => hour)),
    ...STAT_COUNTERS.map((counter) => plainArray(rows.map(({ counts }) => counts[counter] || 'null'))),
  ]);
}
