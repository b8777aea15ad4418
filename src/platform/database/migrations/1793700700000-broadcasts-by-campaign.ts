import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The statistics of a campaign include the recipients that its broadcasts left out. */
export class BroadcastsByCampaign1793700700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index broadcasts_campaign_id on broadcasts (campaign_id) where campaign_id is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index broadcasts_campaign_id');
  }
}
