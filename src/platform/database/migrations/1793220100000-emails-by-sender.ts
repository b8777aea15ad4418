import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'emails_sender';

/** Finds the emails of a sender, newest first. */
export class EmailsBySender1793220100000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists ${NAME}`);
    await runner.query(
      `create index concurrently ${NAME} on emails (organization_id, sender_key, id) where sender_key is not null`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index ${NAME}`);
  }
}
