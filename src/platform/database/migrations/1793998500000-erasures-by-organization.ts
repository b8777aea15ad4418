import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the next erasure of an organization without reading all that are due, and tracking domains that are new. */
export class ErasuresByOrganization1793998500000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(`create index concurrently contact_erasures_organization_step_at
      on contact_erasures (organization_id, step_at)`);
    await runner.query('create index concurrently tracking_base_urls_used_from on tracking_base_urls (used_from)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists contact_erasures_organization_step_at');
    await runner.query('drop index concurrently if exists tracking_base_urls_used_from');
  }
}
