import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The time when a sum was counted, by the Postgres clock: the time in its ID comes from a tracking edge, whose clock
 * may be months off.
 */
export class EventSumsCounted1791740000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table event_sums add column counted_at timestamptz(3) not null default now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table event_sums drop column counted_at');
  }
}
