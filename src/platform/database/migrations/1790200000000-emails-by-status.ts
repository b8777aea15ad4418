import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Few among many: an organization's failed and tracked emails. Those that are queued or sending have indexes
 * already and most others are sent, so an email that goes the usual way pays nothing for this one.
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
