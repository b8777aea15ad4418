import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Nothing reads the index any longer, and without it a cancellation writes no index of `emails`. */
export class CanceledEmailsWithoutIndex1793810120000 implements MigrationInterface {
  /** Dropped and built concurrently, which cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists emails_canceled');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists emails_canceled');
    await runner.query(
      'create index concurrently emails_canceled on emails (organization_id, id) where canceled_at is not null',
    );
  }
}
