import type { Sql } from '../platform/database/database.js';
import { lowestIdAt } from '../platform/database/id-time.sql.js';
import { sumsKeptFrom } from './recognized-repeats.js';

const BATCH = 10_000;

/**
 * Uses the time at which Postgres counted the sum: an edge with a slow clock creates IDs that are old from the start.
 * The ID only narrows the key range; sums of an edge that is ahead stay longer. $1 the time from which sums are kept.
 */
const DELETE = `delete from event_sums where id in (
  select id from event_sums
   where id < ${lowestIdAt('$1::timestamptz')}
     and counted_at < $1::timestamptz
   order by id limit ${BATCH} for update skip locked
) returning id`;

/** Deletes old sums; their counts stay. */
export async function deleteEventSums(sql: Sql): Promise<void> {
  const keptFrom = await sumsKeptFrom(sql);
  while ((await sql.query(DELETE, [keptFrom])).length === BATCH);
}
