import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Most clicked first, a page at a time, of campaigns that have a link for each recipient. */
export class LinksByClicks1791710000000 implements MigrationInterface {
  /** Built concurrently, which no transaction can do; one that broke off is dropped. */
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
