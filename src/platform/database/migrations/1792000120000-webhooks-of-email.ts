import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the webhook deliveries of an email, for its timeline. Deliveries of an older build do not name their email. */
export class WebhooksOfEmail1792000120000 implements MigrationInterface {
  /** Created concurrently, which cannot run in a transaction, so that no delivery waits for it. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_deliveries_email');
    await runner.query(`create index concurrently webhook_deliveries_email on webhook_deliveries (email_id)
      where email_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_deliveries_email');
  }
}
