import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the next broadcast of an organization without reading all that are due. */
export class StepsByOrganization1793998300000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists broadcasts_organization_step_at');
    await runner.query(`create index concurrently broadcasts_organization_step_at on broadcasts (organization_id, step_at)
      where step_at is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists broadcasts_organization_step_at');
  }
}
