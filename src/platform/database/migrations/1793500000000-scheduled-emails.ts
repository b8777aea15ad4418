import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The time at which an email is to be sent, if its sender chose one. Its pending row holds the same time until it is
 * due.
 */
export class ScheduledEmails1793500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails add column send_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop column send_at');
  }
}
