import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For scans of the dispatched emails of all organizations by time. Older builds use the other index. */
export class DispatchedByTime1791510000000 implements MigrationInterface {
  /**
   * Indexes of tables in use are built concurrently, which cannot run in a transaction; an interrupted build is dropped
   * first.
   */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists pending_emails_dispatched_at');
    await runner.query(
      `create index concurrently pending_emails_dispatched_at on pending_emails (dispatched_at)
         where dispatched_at is not null`,
    );
    await runner.query('drop index concurrently if exists event_dead_letters_created_at');
    await runner.query(
      'create index concurrently event_dead_letters_created_at on event_dead_letters (created_at, id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index pending_emails_dispatched_at');
    await runner.query('drop index event_dead_letters_created_at');
  }
}
