import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../../platform/database/database.js';
import { COUNT_EARLIER } from './earlier-stats.sql.js';

/** Emails per transaction: few enough that neither a flush nor a delivery waits for long. */
const BATCH = 1_000;
/** Bounds one run; the next one goes on. */
const MAX_BATCHES = 100;

/** Locks the row, so that one process at a time walks. */
const PROGRESS = `
select after_id as "afterId" from stats_walk where rounds_left > 0 and due_at <= now() for update skip locked`;

/** $1 the last ID of the batch before, $2 its size. */
const LAST_OF_BATCH = `
select id from (select id from emails where id > $1 order by id limit $2) batch order by id desc limit 1`;

/** In the lock order of emails. $1 and $2 bound the batch. */
const LOCK = `
select id from emails where id > $1 and id <= $2 and not in_stats order by id for no key update`;

/** A day later come the emails that an earlier build accepted meanwhile. */
const END_ROUND = `
update stats_walk set rounds_left = rounds_left - 1, after_id = '00000000-0000-0000-0000-000000000000',
  due_at = now() + interval '1 day'`;

/**
 * Adds emails from before there were figures by the hour to them. It walks all emails twice and then never again. It may be
 * interrupted and repeated. Whatever changes the figures of an email locks it, and reads whether they count after that:
 * so each fact counts once, here or there.
 */
@Injectable()
export class EarlierStats {
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
  // A statement of its own: it sees what was stored while this one waited for the locks.
  if (emails.length > 0) await sql.query(COUNT_EARLIER, [emails.map(({ id }) => id)]);
  await sql.query('update stats_walk set after_id = $1', [last.id]);
  return true;
}
