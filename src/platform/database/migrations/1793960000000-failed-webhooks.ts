import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a webhook failed last, which shows whether its failures go on. */
export class FailedWebhooks1793960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_endpoints add column failed_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_endpoints drop column failed_at');
  }
}
