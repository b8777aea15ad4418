import type { Database, Sql } from '../platform/database/database.js';
import { NIL_UUID } from '../platform/database/nil-uuid.js';

/** An arbitrary advisory lock ID: one process at a time creates partitions. */
const PARTITIONS_LOCK = 7_164_230_518;
const MONTHS_AHEAD = 2;

/** The tables that are partitioned by the month of `occurred_at`. */
const TABLES = ['events', 'delivery_events'] as const;

type PartitionedTable = (typeof TABLES)[number];

/**
 * Creates the missing partitions of `now`'s month (UTC) and the next two, of every partitioned table. Rows that the
 * default partition holds for a month move into its partition; a month with very many of them gets none. Safe while
 * other processes do the same and flushers insert.
 * @returns the names of the created partitions
 */
export async function ensureEventPartitions(database: Database, now: Date): Promise<string[]> {
  const created: string[] = [];
  for (const table of TABLES) {
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
      const name = partitionName(month, table);
      if (await exists(database, name)) continue;
      if (await database.transaction((sql) => createPartition(sql, table, month))) created.push(name);
    }
  }
  return created;
}

/**
 * Drops every partition before `firstKept`, the first instant of a month (UTC), and deletes older rows from the
 * default partition. Only single events are deleted; the counters already include them. An older event that arrives
 * later is still counted, and is deleted by the next run.
 * @returns the names of the dropped partitions
 * @throws when readers hold a partition for longer than a few seconds; the next run retries
 */
export async function dropEventPartitions(database: Database, firstKept: Date): Promise<string[]> {
  const dropped: string[] = [];
  for (const table of TABLES) dropped.push(...(await dropPartitions(database, table, firstKept)));
  return dropped;
}

async function dropPartitions(database: Database, table: PartitionedTable, firstKept: Date): Promise<string[]> {
  const old = (await monthlyPartitions(database, table)).filter((name) => name < partitionName(firstKept, table));
  for (const name of old) {
    await database.transaction(async (sql) => {
      await sql.query('select pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
      await sql.query('select drop_event_partition($1, $2)', [table, dateOf(monthOf(name))]);
    });
  }
  await deleteBefore(database, table, firstKept);
  return old;
}

/** Events per statement: an edge with a very wrong clock can leave millions in the default partition. */
const DELETED_AT_ONCE = 5_000;

/**
 * Only the default partition still has such rows; the statements name the whole table, because the worker's login has
 * no rights to single partitions. A range of IDs, so that no batch reads what others have deleted.
 */
async function deleteBefore(sql: Sql, table: PartitionedTable, firstKept: Date): Promise<void> {
  const lastOfBatch = `
    select id from (select id from ${table} where id > $2 and occurred_at < $1 order by id limit ${DELETED_AT_ONCE}) batch
     order by id desc limit 1`;
  for (let after = NIL_UUID; ;) {
    const [last] = await sql.query<{ id: string }>(lastOfBatch, [firstKept, after]);
    if (!last) return;
    await sql.query(`delete from ${table} where occurred_at < $1 and id > $2 and id <= $3`, [
      firstKept,
      after,
      last.id,
    ]);
    after = last.id;
  }
}

/** The first instant of the oldest month that has a partition (UTC). */
export async function oldestEventPartition(database: Database): Promise<Date> {
  const [oldest] = await monthlyPartitions(database, 'events');
  if (oldest === undefined) throw new Error('The events table has no monthly partition');
  return monthOf(oldest);
}

/** @param partition its name, which ends with the month */
function monthOf(partition: string): Date {
  const [year, month] = partition.slice(-'2027_01'.length).split('_').map(Number);
  return new Date(Date.UTC(year!, month! - 1, 1));
}

async function monthlyPartitions(database: Database, table: PartitionedTable): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = $1::regclass and relname ~ ('^' || $1 || '_\\d{4}_\\d{2}$') order by relname`,
    [table],
  );
  return rows.map(({ name }) => name);
}

export function partitionName(month: Date, table: PartitionedTable = 'events'): string {
  return `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

async function createPartition(sql: Sql, table: PartitionedTable, month: Date): Promise<boolean> {
  await sql.query('select pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
  const [row] = await sql.query<{ created: boolean }>('select create_event_partition($1, $2) as created', [
    table,
    dateOf(month),
  ]);
  return row!.created;
}

/** A date without a time, so that the session's time zone does not shift it. */
function dateOf(month: Date): string {
  return month.toISOString().slice(0, 10);
}

/** Queries the catalog directly: to_regclass may return what the session cached before it waited for the lock. */
async function exists(sql: Sql, table: string): Promise<boolean> {
  const rows = await sql.query(
    `select from pg_class
     where relname = $1 and relnamespace = (select relnamespace from pg_class where oid = 'events'::regclass)`,
    [table],
  );
  return rows.length > 0;
}
