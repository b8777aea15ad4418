import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../platform/database/database.js';

/** Emails per transaction: few enough that no flush waits for long. */
const BATCH = 5_000;
/** Bounds one run; the next one goes on. */
const MAX_BATCHES = 50;

/** Locks the row, so that one process at a time walks. */
const PROGRESS = `
select after_id as "afterId" from people_walk where rounds_left > 0 and due_at <= now() for update skip locked`;

/** $1 the last ID of the batch before, $2 its size. */
const LAST_OF_BATCH = `
select id from (select id from emails where id > $1 order by id limit $2) batch order by id desc limit 1`;

/**
 * Emails that people opened or clicked and that their campaign does not count yet, in the lock order of emails. $1 and
 * $2 bound the batch.
 */
const LOCK = `
select id from emails
 where id > $1 and id <= $2
   and ((opens > machine_opens and not person_opened) or (clicks > machine_clicks and not person_clicked))
 order by id for no key update`;

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

/** A day later come the events that flushers of an earlier build stored meanwhile. */
const END_ROUND = `
update people_walk set rounds_left = rounds_left - 1, after_id = '00000000-0000-0000-0000-000000000000',
  due_at = now() + interval '1 day'`;

/**
 * Counts unique opens and clicks of emails from before they were counted. It walks all emails twice and then never
 * again. It may be interrupted and repeated.
 */
@Injectable()
export class EarlierPeople {
  constructor(private readonly database: Database) {}

  /** Any number of processes may run this at once. */
  async count(): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      if (!(await this.database.transaction(countBatch))) return;
    }
  }
}

/** @returns whether more is left */
async function countBatch(sql: Sql): Promise<boolean> {
  const [progress] = await sql.query<{ afterId: string }>(PROGRESS);
  if (!progress) return false;
  const [last] = await sql.query<{ id: string }>(LAST_OF_BATCH, [progress.afterId, BATCH]);
  if (!last) {
    await sql.query(END_ROUND);
    return false;
  }
  const emails = await sql.query<{ id: string }>(LOCK, [progress.afterId, last.id]);
  if (emails.length > 0) await sql.query(COUNT, [emails.map(({ id }) => id)]);
  await sql.query('update people_walk set after_id = $1', [last.id]);
  return true;
}
