import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the webhook deliveries of an email in the order of its timeline, so that a page reads no others. */
export class OrderedWebhooksOfEmail1793970000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_deliveries_of_email');
    await runner.query(`create index concurrently webhook_deliveries_of_email
      on webhook_deliveries (email_id, created_at, id) where email_id is not null`);
    await runner.query('drop index concurrently if exists webhook_deliveries_email');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_deliveries_email');
    await runner.query(`create index concurrently webhook_deliveries_email on webhook_deliveries (email_id)
      where email_id is not null`);
    await runner.query('drop index concurrently if exists webhook_deliveries_of_email');
  }
}
