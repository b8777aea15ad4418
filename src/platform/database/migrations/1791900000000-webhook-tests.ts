import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tests are attempted even while their endpoint is paused, so they are found separately from its waiting deliveries.
 */
export class WebhookTests1791900000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_deliveries_tests');
    await runner.query(
      `create index concurrently webhook_deliveries_tests on webhook_deliveries (endpoint_id, next_attempt_at)
         where status = 'pending' and type = 'WEBHOOK_TEST'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index webhook_deliveries_tests');
  }
}
