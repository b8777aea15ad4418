import type { MigrationInterface, QueryRunner } from 'typeorm';
import { briefly, buildPartitionIndex } from '../partition-index.js';

const NAME = 'events_contact_email';
const COLUMNS = '(contact_id, occurred_at, email_id)';

/**
 * Finds the events of one email among those of its contact in the index alone: without the email in it, each event of
 * the contact was read from the table. A retry continues with the partitions that lack the index.
 */
export class EventsByContactAndEmail1793880000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // As Postgres names it for a new partition.
    const nameOf = (partition: string): string => `${partition}_contact_id_occurred_at_email_id_idx`;
    await buildPartitionIndex(runner, { name: NAME, table: 'events', definition: COLUMNS, nameOf });
    await briefly(runner, 'drop index if exists events_contact');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index events_contact on events (contact_id, occurred_at)');
    await runner.query(`drop index ${NAME}`);
  }
}
