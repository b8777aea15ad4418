import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the statuses of stored emails apart from the change of the constraint, whose lock would stop writers. */
export class EmailStatuses1793400200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails validate constraint emails_status');
  }

  async down(): Promise<void> {}
}
