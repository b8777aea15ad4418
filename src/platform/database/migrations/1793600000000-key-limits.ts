import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The limits of a key: what it may do, from where and until when. Existing keys may do everything. */
export class KeyLimits1793600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table api_keys
      add column scopes text[] not null default '{send,read,manage}',
      add column expires_at timestamptz(3),
      add column allowed_domains text[],
      add column allowed_addresses text[],
      add column created_by text,
      add constraint api_keys_scopes check (scopes <@ '{send,read,manage}'::text[] and scopes <> '{}') not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys drop constraint api_keys_scopes');
    await runner.query(`alter table api_keys drop column scopes, drop column expires_at, drop column allowed_domains,
      drop column allowed_addresses, drop column created_by`);
  }
}
