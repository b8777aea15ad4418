import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds an organization's failed and tracked emails, which are few among many. Queued and sending emails already have
 * indexes, and most others are sent, so a normal email pays nothing for this index.
 */
export class EmailsByStatus1790200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index emails_unusual_status on emails (organization_id, status, id)
      where status in ('failed', 'tracked')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists emails_unusual_status');
  }
}
