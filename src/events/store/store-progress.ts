import type { Database, Sql } from '../../platform/database/database.js';

const CAUGHT_UP = `
update event_store set caught_up_at = now()
 where not exists (select from event_store_changes where changed_at < now() - interval '10 minutes')`;

/** Records that the store has everything that was in the stream. */
export async function recordCaughtUp(sql: Sql): Promise<void> {
  await sql.query(CAUGHT_UP);
}

/** Few enough for the time limit of a statement: a store that was down for long has many changes. */
const CHANGES_PER_STATEMENT = 10_000;
const FORGET_CHANGES = `
delete from event_store_changes where id in (
  select id from event_store_changes order by id limit ${CHANGES_PER_STATEMENT} for update skip locked) returning id`;

/**
 * Deletes the progress of a store, first of all what lets others wait for it and record changes for it.
 * @returns false when there was none
 */
export async function forgetStore(database: Database): Promise<boolean> {
  const hadStore = await database.transaction(async (sql) => {
    const stores = await sql.query('delete from event_store returning id');
    await sql.query('delete from event_store_gaps');
    return stores.length > 0;
  });
  let deleted: number;
  do {
    deleted = (await database.query(FORGET_CHANGES)).length;
  } while (deleted > 0);
  return hadStore;
}
