import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lists the entries with one reason, newest first: without this index, a rare reason would be found only by reading all
 * entries of the organization.
 */
export class SuppressionsByReason1792000200000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists suppressions_by_reason');
    await runner.query(
      'create index concurrently suppressions_by_reason on suppressions (organization_id, reason, created_at, address_key)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index suppressions_by_reason');
  }
}
