import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the emails of which an address got a copy. Emails without copies, nearly all, cost nothing here. */
export class EmailsByCopy1793730100000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists email_contents_copies');
    await runner.query(`create index concurrently email_contents_copies on email_contents
      using gin (mailbox_keys(cc_addresses || bcc_addresses)) where cc_addresses <> '{}' or bcc_addresses <> '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists email_contents_copies');
  }
}
