import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Newest first, of one reason: a rare one is otherwise found only by reading all entries of the organization. */
export class SuppressionsByReason1792000200000 implements MigrationInterface {
  /** Built concurrently, which no transaction can do; one that broke off is dropped. */
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
