import type { Database, SqlRunner } from '../database/database.js';

const SETTINGS = `select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
  set_config('idle_in_transaction_session_timeout', '5s', true)`;

/**
 * Runs `work` in a transaction that reads tables by their indexes. What is dispatched is a small part of what is
 * pending, now most of it, now a thousandth: statistics are always late, and a plan made for one case would read the
 * whole backlog in the other. A process that stands still in the middle of it is cut off, because others wait for what
 * it has locked.
 */
export function byIndex<Result>(database: Database, work: (sql: SqlRunner) => Promise<Result>): Promise<Result> {
  return database.transaction(async (sql) => {
    await sql.query(SETTINGS);
    return work(sql);
  });
}
