import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists emails that were canceled earlier. Their index is dropped afterwards. */
export class EarlierCanceledEmails1793810110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`insert into canceled_emails (organization_id, email_id)
      select organization_id, id from emails where canceled_at is not null on conflict do nothing`);
  }

  async down(): Promise<void> {
    // The rows are dropped with their table.
  }
}
