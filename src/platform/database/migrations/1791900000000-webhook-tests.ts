import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tests are attempted while their endpoint is paused, so they are looked for beside all that waits for it. */
export class WebhookTests1791900000000 implements MigrationInterface {
  /** Built concurrently, which no transaction can do; one that broke off is dropped. */
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
