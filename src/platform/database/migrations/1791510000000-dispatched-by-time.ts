import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For what looks at the dispatched emails of all organizations, by time. Builds from before use the other index. */
export class DispatchedByTime1791510000000 implements MigrationInterface {
  /** Indexes of tables at work are built concurrently, which no transaction can do; one that broke off is dropped. */
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
