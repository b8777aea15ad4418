import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The statistics of a campaign include the recipients that its broadcasts left out. */
export class BroadcastsByCampaign1793700700000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists broadcasts_campaign_id');
    await runner.query(
      'create index concurrently broadcasts_campaign_id on broadcasts (campaign_id) where campaign_id is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists broadcasts_campaign_id');
  }
}
