import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations that are being deleted. */
export class DeletedOrganizations1793710100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table organizations add column deleted_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table organizations drop column deleted_at');
  }
}
