import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Due deliveries are found endpoint by endpoint, by `webhook_deliveries_due`. With the older index on the time alone,
 * the planner read all due deliveries once per endpoint. Older builds do not need that index either.
 */
export class WebhookDueIndex1791600000000 implements MigrationInterface {
  /** Dropped concurrently, which cannot run in a transaction, so that no other statement waits for it. */
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
