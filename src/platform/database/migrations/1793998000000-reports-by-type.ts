import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly, buildPartitionIndex } from '../partition-index.js';

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
    for (const { suffix, definition } of INDEXES) {
      const name = `delivery_events_${suffix}`;
      const nameOf = (partition: string): string => `${partition}_${suffix}`;
      await buildPartitionIndex(runner, { name, table: 'delivery_events', definition, nameOf });
    }
    await briefly(runner, 'drop index if exists delivery_events_address');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index delivery_events_address on delivery_events (organization_id, address_key, occurred_at)',
    );
    for (const { suffix } of INDEXES) await runner.query(`drop index delivery_events_${suffix}`);
  }
}
