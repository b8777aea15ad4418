import type { Sql } from '../../platform/database/database.js';

const CAUGHT_UP = `
update event_store set caught_up_at = now()
 where not exists (select from event_store_changes where changed_at < now() - interval '10 minutes')`;

/** Records that the store has everything that was in the stream. */
export async function recordCaughtUp(sql: Sql): Promise<void> {
  await sql.query(CAUGHT_UP);
}

/** Deletes the progress of a store. @returns false when there was none */
export async function forgetStore(sql: Sql): Promise<boolean> {
  for (const table of ['event_store_gaps', 'event_store_changes']) await sql.query(`delete from ${table}`);
  return (await sql.query('delete from event_store returning id')).length > 0;
}
