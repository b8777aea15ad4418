import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Erasure of people. A contact that is being erased no longer has an organization, so a send to its address creates a
 * new one. Suppressions of erased people stay as keyed hashes.
 */
export class ContactErasures1793730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['contact_erasure_emails', 'contact_erasures', 'erased_suppressions']) {
      await runner.query(`drop table ${table}`);
    }
    await runner.query('drop function person_hash(uuid, text)');
    await runner.query('drop function mailbox_keys(text[])');
    await runner.query('drop table person_hash_key');
    await runner.query('delete from contacts where organization_id is null');
    await runner.query('alter table contacts alter column organization_id set not null');
  }
}

const statements = [
  'alter table contacts alter column organization_id drop not null',
  `create table contact_erasures (
    id uuid primary key,
    organization_id uuid not null
      constraint contact_erasures_organization_id_fkey references organizations (id) on delete cascade,
    contact_id bigint,
    address_key text not null,
    swept_key text,
    requested_at timestamptz(3) not null default now(),
    step_at timestamptz(3) not null default now()
  )`,
  'create index contact_erasures_step_at on contact_erasures (step_at)',
  'create index contact_erasures_address on contact_erasures (organization_id, address_key)',
  `create table contact_erasure_emails (
    erasure_id uuid not null
      constraint contact_erasure_emails_erasure_id_fkey references contact_erasures (id) on delete cascade,
    turn smallint not null,
    email_id uuid not null,
    primary key (erasure_id, turn, email_id)
  )`,
  `create table erased_suppressions (
    organization_id uuid not null
      constraint erased_suppressions_organization_id_fkey references organizations (id) on delete cascade,
    address_hash bytea not null,
    reason text not null,
    created_at timestamptz(3) not null default now(),
    primary key (organization_id, address_hash, reason),
    constraint erased_suppressions_reason check (reason in ('complaint', 'unsubscribe'))
  )`,
  `create table person_hash_key (
    id smallint primary key default '1',
    secret bytea not null,
    constraint person_hash_key_one_row check (id = 1)
  )`,
  // Two random UUIDs have 244 random bits.
  `insert into person_hash_key (secret)
   values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'))`,
  // Nested like HMAC (RFC 2104), so that a hash cannot be extended.
  `create function person_hash(organization uuid, address_key text) returns bytea
     language sql stable parallel safe as $$
       select sha256(secret || sha256(secret || convert_to(organization::text || ' ' || address_key, 'UTF8')))
         from person_hash_key
     $$`,
  `create function mailbox_keys(mailboxes text[]) returns text[]
     language sql immutable parallel safe as $$
       select array(select lower(regexp_replace(mailbox, '^.*<(.*)>$', '\\1')) from unnest(mailboxes) as mailbox)
     $$`,
];
