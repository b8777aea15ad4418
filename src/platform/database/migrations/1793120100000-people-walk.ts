import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a background job count the people of earlier emails, because a migration would lock all of them for minutes. */
export class PeopleWalk1793120100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table people_walk (
      id smallint primary key,
      after_id uuid not null,
      rounds_left smallint not null,
      due_at timestamptz(3) not null default now(),
      constraint people_walk_one_row check (id = 1)
    )`);
    await runner.query(
      `insert into people_walk (id, after_id, rounds_left) values (1, '00000000-0000-0000-0000-000000000000', 2)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table people_walk');
  }
}
