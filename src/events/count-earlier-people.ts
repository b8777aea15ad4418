import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { runBackfill, type Backfill } from '../platform/database/backfill.js';

/** Counts them with the shard of the flushers. $1 IDs of locked emails. */
const COUNT = `
with before as (
  select id, campaign_id, opens > machine_opens and not person_opened as opened,
         clicks > machine_clicks and not person_clicked as clicked
    from emails where id = any($1::uuid[])
), counted as (
  update emails e set person_opened = e.opens > e.machine_opens, person_clicked = e.clicks > e.machine_clicks
    from before where e.id = before.id
)
insert into campaign_totals (campaign_id, shard, unique_opens, unique_clicks)
select campaign_id, -1, count(*) filter (where opened), count(*) filter (where clicked)
  from before where campaign_id is not null group by campaign_id order by campaign_id
on conflict (campaign_id, shard) do update
set unique_opens = campaign_totals.unique_opens + excluded.unique_opens,
    unique_clicks = campaign_totals.unique_clicks + excluded.unique_clicks`;

const BACKFILL: Backfill = {
  progress: 'people_walk',
  table: 'emails',
  // Emails that people opened or clicked but that their campaign does not count yet.
  pending: '(opens > machine_opens and not person_opened) or (clicks > machine_clicks and not person_clicked)',
  work: COUNT,
  batch: 5_000,
  maxBatches: 50,
};

/** Counts unique opens and clicks of emails from before they were counted. */
@Injectable()
export class EarlierPeople {
  constructor(private readonly database: Database) {}

  /** Any number of processes may run this at once. */
  count(): Promise<void> {
    return runBackfill(this.database, BACKFILL);
  }
}
