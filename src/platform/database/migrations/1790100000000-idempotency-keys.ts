import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests that may be sent twice but must take effect once. */
export class IdempotencyKeys1790100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The response itself is not stored: it is derived from its status and the email. There is no foreign key to the
    // email, because deleting an email would have to search here. `status` is null until the first response is decided.
    await runner.query(`create table idempotency_keys (
      organization_id uuid not null references organizations (id) on delete cascade,
      key text not null,
      request_hash bytea not null,
      email_id uuid not null,
      status smallint,
      running_until timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, key)
    )`);
    await runner.query('create index idempotency_keys_created_at on idempotency_keys (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists idempotency_keys');
  }
}
