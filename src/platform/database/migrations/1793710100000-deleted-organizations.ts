import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations that are being deleted. Their table is small enough for an index within the transaction. */
export class DeletedOrganizations1793710100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table organizations add column deleted_at timestamptz(3)');
    await runner.query(
      'create index organizations_deleted_at on organizations (deleted_at) where deleted_at is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table organizations drop column deleted_at');
  }
}
