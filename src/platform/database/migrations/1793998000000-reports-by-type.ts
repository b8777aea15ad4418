import type { MigrationInterface, QueryRunner } from 'typeorm';

interface ReportIndex {
  /** The index of a partition has this name after that of the partition. */
  readonly suffix: string;
  readonly definition: string;
}

const INDEXES: readonly ReportIndex[] = [
  { suffix: 'address_type', definition: '(organization_id, address_key, type, occurred_at)' },
  { suffix: 'soft', definition: `(organization_id, address_key, occurred_at) where bounce = 'soft'` },
  {
    suffix: 'subscription',
    definition: `(email_id, address_key, occurred_at, id) where type in ('unsubscribed', 'resubscribed')`,
  },
];

/**
 * Finds the latest report of a type: without the type in an index, each report about an address was read when none was
 * of that type. A retry continues with the partitions that lack an index.
 */
export class ReportsByType1793998000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const index of INDEXES) await build(runner, index);
    await briefly(runner, 'drop index if exists delivery_events_address');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index delivery_events_address on delivery_events (organization_id, address_key, occurred_at)',
    );
    for (const { suffix } of INDEXES) await runner.query(`drop index delivery_events_${suffix}`);
  }
}

async function build(runner: QueryRunner, { suffix, definition }: ReportIndex): Promise<void> {
  const parent = `delivery_events_${suffix}`;
  // Without the partitions, this builds nothing. A partition that is attached later gets the index by itself.
  await briefly(runner, `create index if not exists ${parent} on only delivery_events ${definition}`);
  const rows = (await runner.query(partitionsWithout(parent))) as { partition: string }[];
  for (const { partition } of rows) {
    const name = `${partition}_${suffix}`;
    await runner.query(`drop index concurrently if exists ${name}`);
    await runner.query(`create index concurrently ${name} on ${partition} ${definition}`);
    await briefly(runner, `alter index ${parent} attach partition ${name}`);
  }
}

function partitionsWithout(index: string): string {
  return `
select inhrelid::regclass::text as partition from pg_inherits table_part
 where inhparent = 'delivery_events'::regclass and not exists (
   select from pg_inherits index_part join pg_index on indexrelid = index_part.inhrelid
    where index_part.inhparent = '${index}'::regclass and indrelid = table_part.inhrelid)
 order by 1`;
}

/** Both statements are one transaction. A table lock that takes longer would block all statements behind it. */
function briefly(runner: QueryRunner, statement: string): Promise<unknown> {
  return runner.query(`set local lock_timeout = '1s'; ${statement}`);
}
