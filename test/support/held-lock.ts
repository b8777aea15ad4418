import type { Database, Sql } from '../../src/platform/database/database.js';
import { eventually } from './eventually.js';

/** Number of sessions of this database that wait for a lock. */
export async function lockWaiters(database: Database): Promise<number> {
  const [row] = await database.query<{ n: string }>(
    `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row!.n);
}

/** Takes locks with `take`, runs `meanwhile`, which runs into them, and releases them. */
export async function whileLocked(
  database: Database,
  take: (sql: Sql) => Promise<unknown>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await database.transaction(async (sql) => {
    // The product ends transactions that are idle for seconds. Here a transaction may have to wait for a process to
    // start.
    await sql.query(`set local idle_in_transaction_session_timeout = 0`);
    await take(sql);
    await meanwhile();
  });
}

/** Resolves once `count` sessions wait for locks. */
export async function lockedOut(database: Database, count: number): Promise<void> {
  await eventually(async () => (await lockWaiters(database)) >= count);
}
