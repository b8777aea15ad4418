import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Broadcasts: one message to many. The message is stored once, the recipients wait in their own table until they become
 * emails, in chunks. An email stores only its recipient's variables.
 */
export class Broadcasts1793400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop constraint emails_status');
    await runner.query(`alter table emails add constraint emails_status
      check (status in ('queued', 'sending', 'sent', 'failed', 'tracked')) not valid`);
    await runner.query('alter table emails drop column broadcast_id, drop column canceled_at');
    await runner.query('alter table pending_emails drop column broadcast_id');
    await runner.query('alter table email_contents drop column variables');
    for (const table of ['broadcast_recipients', 'broadcasts', 'messages']) await runner.query(`drop table ${table}`);
  }
}

const statements = [
  `create table messages (
    id uuid primary key,
    organization_id uuid not null constraint messages_organization_id_fkey references organizations (id) on delete cascade,
    subject text not null,
    html text,
    text text,
    created_at timestamptz(3) not null default now()
  )`,
  `do $$ begin
    alter table messages alter column html set compression lz4;
  exception when feature_not_supported then null;
  end $$`,
  `create table broadcasts (
    id uuid primary key,
    organization_id uuid not null constraint broadcasts_organization_id_fkey references organizations (id) on delete cascade,
    campaign_id uuid constraint broadcasts_campaign_id_fkey references campaigns (id),
    message_id uuid not null constraint broadcasts_message_id_fkey references messages (id) on delete cascade,
    name text not null,
    status text not null default 'draft',
    sender text not null,
    reply_to text,
    tags text[],
    pace integer,
    send_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    ended_at timestamptz(3),
    recipients bigint not null default 0,
    suppressed bigint not null default 0,
    emails bigint not null default 0,
    canceled bigint not null default 0,
    last_place bigint not null default 0,
    next_place bigint not null default 0,
    step_at timestamptz(3),
    measured_at timestamptz(3),
    measured_emails bigint not null default 0,
    per_second double precision not null default '0',
    constraint broadcasts_status check (status in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'canceled'))
  )`,
  'create index broadcasts_organization_id on broadcasts (organization_id, id)',
  'create index broadcasts_step_at on broadcasts (step_at) where step_at is not null',
  'create index broadcasts_message_id on broadcasts (message_id)',
  `create table broadcast_recipients (
    broadcast_id uuid not null constraint broadcast_recipients_broadcast_id_fkey references broadcasts (id) on delete cascade,
    address_key text not null,
    address text not null,
    place bigint,
    variables jsonb,
    metadata jsonb,
    primary key (broadcast_id, address_key)
  )`,
  'create index broadcast_recipients_place on broadcast_recipients (broadcast_id, place) where place is not null',
  'alter table emails add column broadcast_id uuid, add column canceled_at timestamptz(3)',
  'alter table emails drop constraint emails_status',
  `alter table emails add constraint emails_status
    check (status in ('queued', 'sending', 'sent', 'failed', 'tracked', 'scheduled', 'canceled')) not valid`,
  'alter table pending_emails add column broadcast_id uuid',
  'alter table email_contents add column variables jsonb',
];
