import type { Database, SqlRunner } from '../database/database.js';

/**
 * Runs `work` in a transaction that reads tables by their indexes. What is dispatched is a small part of what is
 * pending, now most of it, now a thousandth: statistics are always late, and a plan made for one case would read the
 * whole backlog in the other.
 */
export function byIndex<Result>(database: Database, work: (sql: SqlRunner) => Promise<Result>): Promise<Result> {
  return database.transaction(async (sql) => {
    await sql.query(`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`);
    return work(sql);
  });
}
