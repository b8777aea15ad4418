import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Progress of deleting bodies past EMAIL_CONTENT_RETENTION_DAYS, and the bodies that have to wait for the end of their
 * delivery.
 */
export class BodyRetention1793730200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table body_retention (
      id smallint primary key default '1',
      after_id uuid not null,
      constraint body_retention_one_row check (id = 1)
    )`);
    await runner.query(`insert into body_retention (after_id) values ('00000000-0000-0000-0000-000000000000')`);
    await runner.query(`create table late_bodies (
      email_id uuid primary key constraint late_bodies_email_id_fkey references emails (id) on delete cascade
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table late_bodies');
    await runner.query('drop table body_retention');
  }
}
