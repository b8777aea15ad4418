import type { Database, Sql } from './database.js';
import { NIL_UUID } from './nil-uuid.js';

/** Work that has to be done once for rows from before a feature. */
export interface Backfill {
  /** Table of one row with the columns of `BackfillProgress`. */
  readonly progress: string;
  /** The table whose rows are read, in the order of their UUIDs. */
  readonly table: string;
  /** The condition of rows that are not done yet. */
  readonly pending: string;
  /** Processes rows. $1 IDs of locked rows. */
  readonly work: string;
  /** Rows per transaction: few enough that other work does not wait for long. */
  readonly batch: number;
  /** Bounds one run; the next one continues. */
  readonly maxBatches: number;
}

/**
 * Runs over all rows of a table, and again a day later, for rows that an older build stored in the meantime; then never
 * again. It may be interrupted and repeated. Any number of processes may run this at once.
 */
export async function runBackfill(database: Database, backfill: Backfill): Promise<void> {
  for (let batch = 0; batch < backfill.maxBatches; batch++) {
    if (!(await database.transaction((sql) => fillBatch(sql, backfill)))) return;
  }
}

/** @returns true if more is left */
async function fillBatch(sql: Sql, { progress, table, pending, work, batch }: Backfill): Promise<boolean> {
  // Locks the row, so that one process at a time runs the backfill.
  const [place] = await sql.query<{ afterId: string }>(
    `select after_id as "afterId" from ${progress} where rounds_left > 0 and due_at <= now() for update skip locked`,
  );
  if (!place) return false;
  const [last] = await sql.query<{ id: string }>(
    `select id from (select id from ${table} where id > $1 order by id limit $2) batch order by id desc limit 1`,
    [place.afterId, batch],
  );
  if (!last) {
    await sql.query(
      `update ${progress} set rounds_left = rounds_left - 1, after_id = '${NIL_UUID}',
         due_at = now() + interval '1 day'`,
    );
    return false;
  }
  // In the lock order of rows of one table.
  const rows = await sql.query<{ id: string }>(
    `select id from ${table} where id > $1 and id <= $2 and (${pending}) order by id for no key update`,
    [place.afterId, last.id],
  );
  // A separate statement, so that it sees rows that were stored while the previous one waited for locks.
  if (rows.length > 0) await sql.query(work, [rows.map(({ id }) => id)]);
  await sql.query(`update ${progress} set after_id = $1`, [last.id]);
  return true;
}
