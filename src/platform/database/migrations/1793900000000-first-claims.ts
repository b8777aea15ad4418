import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a worker first claimed an email. Retries end a day later, and not a day after an email that waited was queued.
 */
export class FirstClaims1793900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pending_emails add column first_claimed_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pending_emails drop column first_claimed_at');
  }
}
