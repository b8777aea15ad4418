import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the emails of a broadcast that left out all their recipients without reading each failed one. */
export class SuppressedEmailsOfBroadcasts1793998200000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists emails_broadcast_suppressed');
    await runner.query(`create index concurrently emails_broadcast_suppressed on emails (broadcast_id)
      where failed_at is not null and broadcast_id is not null and last_error like 'Every recipient is suppressed%'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists emails_broadcast_suppressed');
  }
}
