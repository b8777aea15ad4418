import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { ALL_CAMPAIGNS, STAT_COUNTERS } from './stat-counters.js';

/** Rows per transaction. */
const BATCH = 10_000;

const SUMS = STAT_COUNTERS.map((counter) => `coalesce(sum(${counter}), 0) as ${counter}`).join(', ');
const ADDED = STAT_COUNTERS.map((name) => `${name} = hourly_stats.${name} + excluded.${name}`).join(', ');

/**
 * Moves rows of `stat_deltas` into `hourly_stats`, once for the campaign and once for the organization. Skips rows that
 * another process moves. Locks the organizations first, as their deletion does, and then hours in the order of their
 * key.
 */
const FOLD = `
with gone as (
  delete from stat_deltas where id = any(array(
    select id from stat_deltas order by id limit ${BATCH} for update skip locked)) returning *
), known as materialized (
  select id from organizations where id in (select organization_id from gone) order by id for key share
), summed as materialized (
  select organization_id, campaign_id, hour, ${SUMS} from gone
   where organization_id in (select id from known) group by organization_id, campaign_id, hour
), folded as (
  insert into hourly_stats (organization_id, campaign_id, hour, ${STAT_COUNTERS.join(', ')})
  select organization_id, campaign_id, hour, ${STAT_COUNTERS.join(', ')} from (
    select * from summed where campaign_id is not null
    union all
    select organization_id, '${ALL_CAMPAIGNS}', hour, ${SUMS} from summed group by organization_id, hour
  ) levels order by organization_id, campaign_id, hour
  on conflict (organization_id, campaign_id, hour) do update set ${ADDED}
)
select count(*)::integer as moved from gone`;

/** Keeps the time series fast to read. Readers add rows that are not folded yet, so results are always exact. */
@Injectable()
export class FoldedStats {
  constructor(private readonly database: Database) {}

  /** Any number of processes may run this at once. */
  async fold(): Promise<void> {
    for (;;) {
      const [batch] = await this.database.query<{ moved: number }>(FOLD);
      if (batch!.moved < BATCH) return;
    }
  }
}
