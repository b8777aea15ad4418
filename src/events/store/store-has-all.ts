import type { Sql } from '../../platform/database/database.js';

/** True without a store. */
const HAS_ALL = `
select coalesce((select caught_up_at > now() - interval '1 hour' from event_store), true)
       and not exists (select from event_store_gaps) as "hasAll"`;

/** True when Postgres need not keep old events for the event store, if there is one. */
export async function storeHasAll(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ hasAll: boolean }>(HAS_ALL);
  return row!.hasAll;
}
