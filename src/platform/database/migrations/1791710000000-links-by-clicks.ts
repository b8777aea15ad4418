import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pages links by clicks, for campaigns that have a different link for each recipient. */
export class LinksByClicks1791710000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists campaign_links_clicks');
    await runner.query(
      'create index concurrently campaign_links_clicks on campaign_links (campaign_id, clicks, url_hash)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index campaign_links_clicks');
  }
}
