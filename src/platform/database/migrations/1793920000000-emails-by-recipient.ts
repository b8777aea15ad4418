import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the emails to several recipients that name an address, also in `to`: an address that is left out because it is
 * suppressed has no contact there. Emails to one recipient, nearly all, cost nothing here.
 */
export class EmailsByRecipient1793920000000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists email_contents_recipients');
    await runner.query(`create index concurrently email_contents_recipients on email_contents
      using gin (mailbox_keys(to_addresses || cc_addresses || bcc_addresses))
      where cardinality(to_addresses) > 1 or cc_addresses <> '{}' or bcc_addresses <> '{}'`);
    await runner.query('drop index concurrently if exists email_contents_copies');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists email_contents_copies');
    await runner.query(`create index concurrently email_contents_copies on email_contents
      using gin (mailbox_keys(cc_addresses || bcc_addresses)) where cc_addresses <> '{}' or bcc_addresses <> '{}'`);
    await runner.query('drop index concurrently if exists email_contents_recipients');
  }
}
