import type { QueryRunner } from 'typeorm';

/** An index of a table with partitions. */
interface PartitionIndex {
  readonly name: string;
  readonly table: string;
  /** Columns in parentheses, and a condition if there is one. */
  readonly definition: string;
  readonly nameOf: (partition: string) => string;
}

/**
 * Builds the index concurrently, which cannot run in a transaction. A retry continues with the partitions that lack it.
 * Without the partitions, the index of the table builds nothing; a partition that is attached later gets it by itself.
 */
export async function buildPartitionIndex(runner: QueryRunner, index: PartitionIndex): Promise<void> {
  const { name: parent, table, definition, nameOf } = index;
  await briefly(runner, `create index if not exists ${parent} on only ${table} ${definition}`);
  const rows = (await runner.query(partitionsWithout(index))) as { partition: string }[];
  for (const { partition } of rows) {
    const name = nameOf(partition);
    await runner.query(`drop index concurrently if exists ${name}`);
    await runner.query(`create index concurrently ${name} on ${partition} ${definition}`);
    await briefly(runner, `alter index ${parent} attach partition ${name}`);
  }
}

/** Both statements are one transaction. A table lock that takes longer would block all statements behind it. */
export function briefly(runner: QueryRunner, statement: string): Promise<unknown> {
  return runner.query(`set local lock_timeout = '1s'; ${statement}`);
}

function partitionsWithout({ name, table }: PartitionIndex): string {
  return `
select inhrelid::regclass::text as partition from pg_inherits table_part
 where inhparent = '${table}'::regclass and not exists (
   select from pg_inherits index_part join pg_index on indexrelid = index_part.inhrelid
    where index_part.inhparent = '${name}'::regclass and indrelid = table_part.inhrelid)
 order by 1`;
}
