import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Opens and clicks that were counted together: a row shows that its sum was counted, so that a repeat does not count
 * again.
 */
export class EventSums1791700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table event_sums (
      id uuid primary key,
      email_id uuid not null,
      opens bigint not null,
      clicks bigint not null
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table event_sums');
  }
}
