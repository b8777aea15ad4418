import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the pending, failed and canceled emails of a broadcast; all others cost nothing here. */
export class BroadcastIndexes1793400100000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of indexes) {
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on ${definition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of indexes) await runner.query(`drop index ${name}`);
  }
}

const indexes = [
  ['emails_broadcast_failed', 'emails (broadcast_id) where failed_at is not null and broadcast_id is not null'],
  ['emails_canceled', 'emails (organization_id, id) where canceled_at is not null'],
  ['pending_emails_broadcast', 'pending_emails (broadcast_id, email_id) where broadcast_id is not null'],
] as const;
