import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the recipients of sent emails whose outcome is unknown. Hardly any recipient is in it. */
export class DoubtfulRecipients1793990000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists recipient_deliveries_doubtful');
    await runner.query(`create index concurrently recipient_deliveries_doubtful on recipient_deliveries (email_id)
      where state = 'refused' and reason like 'Delivery outcome unknown%'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists recipient_deliveries_doubtful');
  }
}
