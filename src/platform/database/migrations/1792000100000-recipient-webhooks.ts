import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a flush see at once that no webhook subscribes to events about recipients. */
export class RecipientWebhooks1792000100000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists webhook_endpoints_recipients');
    await runner.query(`create index concurrently webhook_endpoints_recipients on webhook_endpoints (organization_id)
      where enabled and events && '{EMAIL_DELIVERED,EMAIL_DEFERRED,EMAIL_BOUNCED,EMAIL_COMPLAINED,EMAIL_SUPPRESSED,EMAIL_UNSUBSCRIBED,EMAIL_RESUBSCRIBED}'::text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index webhook_endpoints_recipients');
  }
}
