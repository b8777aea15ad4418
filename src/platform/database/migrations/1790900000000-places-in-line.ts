import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What has a job keeps its place in line, and the front of the line is known: so that no email is put before earlier
 * ones of its own organization, however the length of the queue changes meanwhile.
 */
export class PlacesInLine1790900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pending_emails add column place integer');
    await runner.query('alter table dispatch_window add column front integer not null default 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table dispatch_window drop column front');
    await runner.query('alter table pending_emails drop column place');
  }
}
