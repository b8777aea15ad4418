import type { Sql } from '../platform/database/database.js';

/** For so long a sum that comes again is recognized: longer than events wait anywhere but among the dead letters. */
const KEPT = `interval '35 days'`;
const BATCH = 10_000;

/**
 * By when Postgres counted them: a tracking edge whose clock is months behind makes ids that are old from the start.
 * The time in their ids only finds them by the key; those of an edge that is ahead stay for as much longer.
 */
const FORGET = `delete from event_sums where id in (
  select id from event_sums
   where id < (lpad(to_hex((extract(epoch from now() - ${KEPT}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
     and counted_at < now() - ${KEPT}
   order by id limit ${BATCH} for update skip locked
) returning id`;

/** Forgets sums that were counted long ago; what they counted stays. */
export async function forgetEventSums(sql: Sql): Promise<void> {
  while ((await sql.query(FORGET)).length === BATCH);
}
