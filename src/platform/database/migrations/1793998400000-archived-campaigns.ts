import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads a page of archived campaigns without reading and sorting all of an organization. */
export class ArchivedCampaigns1793998400000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists campaigns_archived');
    await runner.query(`create index concurrently campaigns_archived on campaigns (organization_id, id)
      where archived_at is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists campaigns_archived');
  }
}
