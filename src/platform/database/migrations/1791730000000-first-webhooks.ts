import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Results of emails are delivered before opens and clicks. */
export class FirstWebhooks1791730000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_deliveries_first');
    await runner.query(
      `create index concurrently webhook_deliveries_first on webhook_deliveries (endpoint_id, next_attempt_at)
         where status = 'pending' and event_id is null`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index webhook_deliveries_first');
  }
}
