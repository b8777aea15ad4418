import type { Sql } from '../../src/platform/database/database.js';

/** Reports about recipients that this transaction has read, and Postgres has not added to its statistics yet. */
export async function reportsRead(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ read: number }>(
    `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int as read
       from pg_stat_xact_user_tables where relname like 'delivery_events%'`,
  );
  return row!.read;
}
