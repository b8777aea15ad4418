import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `pending_emails` shows whether an email is scheduled or being sent, so `emails.status` has neither value. */
export class StoredStatuses1793870000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop constraint emails_status');
    await runner.query(`alter table emails add constraint emails_status
      check (status in ('queued', 'sent', 'failed', 'tracked', 'canceled')) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop constraint emails_status');
    await runner.query(`alter table emails add constraint emails_status
      check (status in ('queued', 'sending', 'sent', 'failed', 'tracked', 'scheduled', 'canceled')) not valid`);
  }
}
