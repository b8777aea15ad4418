import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the organizations that are being deleted. */
export class OrganizationsByDeletion1793710110000 implements MigrationInterface {
  /** Built concurrently, which no transaction can do; one that broke off is dropped. */
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
