import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes and gaps that still have to be copied to an optional event store. */
export class EventStore1793840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table event_store (
      id smallint primary key,
      caught_up_at timestamptz(3) not null default now(),
      constraint event_store_one_row check (id = 1)
    )`);
    await runner.query(`create table event_store_gaps (
      hour timestamptz(0) primary key,
      after uuid
    )`);
    await runner.query(`create table event_store_changes (
      id bigint generated always as identity primary key,
      email text not null,
      event_id uuid,
      type text,
      link_position integer,
      verdict smallint,
      changed_at timestamptz(3) not null default now()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['event_store_changes', 'event_store_gaps', 'event_store']) {
      await runner.query(`drop table ${table}`);
    }
  }
}
