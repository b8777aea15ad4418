import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a background job count emails from before the hourly figures existed. It begins an hour later, when no older
 * build is left that would change such an email without its figures.
 */
export class StatsWalk1793804000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table stats_walk (
      id smallint primary key,
      after_id uuid not null,
      rounds_left smallint not null,
      due_at timestamptz(3) not null default now(),
      constraint stats_walk_one_row check (id = 1)
    )`);
    await runner.query(`insert into stats_walk (id, after_id, rounds_left, due_at)
      values (1, '00000000-0000-0000-0000-000000000000', 2, now() + interval '1 hour')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table stats_walk');
  }
}
