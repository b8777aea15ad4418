import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The provider that was called last: if the outcome of the call is unknown, the email must not move to another one. */
export class ProvidersOfPendingEmails1793995000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pending_emails add column if not exists provider text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pending_emails drop column if exists provider');
  }
}
