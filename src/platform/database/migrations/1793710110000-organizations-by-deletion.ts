import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the organizations that are being deleted. */
export class OrganizationsByDeletion1793710110000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists organizations_deleted_at');
    await runner.query(
      'create index concurrently organizations_deleted_at on organizations (deleted_at) where deleted_at is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists organizations_deleted_at');
  }
}
