import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the tables for verifying domains and signing their mail. The migration only adds, so an older build can run
 * alongside this one.
 */
export class SendingDomains1790400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table sending_domains
      add column ownership_token text,
      add column dkim_selector text,
      add column dkim_public_key text,
      add column sealed_dkim_key text,
      add column records jsonb not null default '[]',
      add column checked_at timestamptz(3),
      add column missing_since timestamptz(3),
      add column unanswered_since timestamptz(3),
      add column recheck_at timestamptz(3)`);
    await runner.query(
      `update sending_domains set ownership_token = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`,
    );
    await runner.query(`create index sending_domains_due on sending_domains (recheck_at) where status = 'verified'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sending_domains_due');
    await runner.query(`alter table sending_domains
      drop column ownership_token, drop column dkim_selector, drop column dkim_public_key,
      drop column sealed_dkim_key, drop column records, drop column checked_at, drop column missing_since,
      drop column unanswered_since, drop column recheck_at`);
  }
}
