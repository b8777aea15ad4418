import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the statuses of stored emails apart from the change of the constraint, whose lock would stop writers. */
export class CheckedStatuses1793870100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // An email that a build from before `pending_emails` was sending when that table came.
    await runner.query(`update emails set status = 'queued' where status = 'sending'`);
    await runner.query('alter table emails validate constraint emails_status');
  }

  async down(): Promise<void> {}
}
