import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is due is found endpoint by endpoint, by `webhook_deliveries_due`. The older index on the time alone had the
 * planner read everything that is due once per endpoint. Builds from before need it no more than this one.
 */
export class WebhookDueIndex1791600000000 implements MigrationInterface {
  /** Dropped concurrently, which no transaction can do, so that nobody waits for it. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_deliveries_pending');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index concurrently webhook_deliveries_pending on webhook_deliveries (next_attempt_at)
         where status = 'pending'`,
    );
  }
}
