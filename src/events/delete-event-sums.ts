import type { Sql } from '../platform/database/database.js';
import { lowestIdAt } from '../platform/database/lowest-id.sql.js';

/** How long a repeated sum is recognized: longer than events can wait anywhere except as dead letters. */
const KEPT = `interval '35 days'`;
const BATCH = 10_000;

/**
 * Uses the time at which Postgres counted the sum: an edge with a slow clock creates IDs that are old from the start.
 * The ID only narrows the key range; sums of an edge that is ahead stay longer.
 */
const DELETE = `delete from event_sums where id in (
  select id from event_sums
   where id < ${lowestIdAt(`now() - ${KEPT}`)}
     and counted_at < now() - ${KEPT}
   order by id limit ${BATCH} for update skip locked
) returning id`;

/** Deletes old sums; their counts stay. */
export async function deleteEventSums(sql: Sql): Promise<void> {
  while ((await sql.query(DELETE)).length === BATCH);
}
