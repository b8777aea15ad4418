import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An email with a job keeps its position in the queue, and the front of the queue is stored, so that no email overtakes
 * earlier ones of its organization when the length of the queue changes.
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
