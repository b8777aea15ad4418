import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Shows the flusher whether an email's earlier clicks may be close to a new one, so that it looks them up only then.
 */
export class LastClicks1793120000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails add column last_click_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop column last_click_at');
  }
}
