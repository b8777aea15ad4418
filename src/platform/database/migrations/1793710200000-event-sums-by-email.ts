import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the sums of emails that are deleted with their organization. */
export class EventSumsByEmail1793710200000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists event_sums_email_id');
    await runner.query('create index concurrently event_sums_email_id on event_sums (email_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists event_sums_email_id');
  }
}
