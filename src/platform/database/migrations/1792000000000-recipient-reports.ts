import type { MigrationInterface, QueryRunner } from 'typeorm';

const CAMPAIGN_COUNTERS = ['delivered', 'deferred', 'bounced', 'complained', 'unsubscribed', 'suppressed'];
const CONTACT_COUNTERS = ['bounces', 'complaints'];

/** The state of each recipient, and the addresses that an organization must not write to. */
export class RecipientReports1792000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table recipient_deliveries
      add column facts integer not null default 0,
      add column smtp_status text,
      add column fact_at timestamptz(3),
      add column updated_at timestamptz(3) not null default now()`);
    await runner.query(`create table delivery_events (
      id uuid not null,
      occurred_at timestamptz(3) not null,
      organization_id uuid not null,
      email_id uuid not null,
      address_key text not null,
      type text not null,
      bounce text,
      smtp_status text,
      reason text,
      primary key (id, occurred_at),
      constraint delivery_events_bounce check (bounce in ('hard', 'soft'))
    ) partition by range (occurred_at)`);
    await runner.query('create index delivery_events_email on delivery_events (email_id, occurred_at)');
    await runner.query(
      'create index delivery_events_address on delivery_events (organization_id, address_key, occurred_at)',
    );
    await runner.query('create table delivery_events_default partition of delivery_events default');
    await runner.query(`create table suppressions (
      organization_id uuid not null constraint suppressions_organization_id_fkey references organizations (id) on delete cascade,
      address_key text not null,
      reason text not null,
      address text not null,
      email_id uuid,
      note text,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, address_key, reason),
      constraint suppressions_reason check (reason in ('bounce', 'complaint', 'unsubscribe', 'manual'))
    )`);
    await runner.query('create index suppressions_newest on suppressions (organization_id, created_at, address_key)');
    // A removed suppression starts a new run of soft bounces.
    await runner.query(`create table soft_bounce_resets (
      organization_id uuid not null constraint soft_bounce_resets_organization_id_fkey references organizations (id) on delete cascade,
      address_key text not null,
      reset_at timestamptz(3) not null default now(),
      primary key (organization_id, address_key)
    )`);
    await runner.query(`alter table campaign_totals ${addCounters(CAMPAIGN_COUNTERS)}`);
    await runner.query(`alter table contacts ${addCounters(CONTACT_COUNTERS)}`);
    await runner.query('alter table emails add column unsubscribe boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop column unsubscribe');
    await runner.query(`alter table contacts ${dropCounters(CONTACT_COUNTERS)}`);
    await runner.query(`alter table campaign_totals ${dropCounters(CAMPAIGN_COUNTERS)}`);
    await runner.query('drop table soft_bounce_resets');
    await runner.query('drop table suppressions');
    await runner.query('drop table delivery_events');
    await runner.query(`alter table recipient_deliveries
      drop column facts, drop column smtp_status, drop column fact_at, drop column updated_at`);
  }
}

function addCounters(names: readonly string[]): string {
  return names.map((name) => `add column ${name} bigint not null default 0`).join(', ');
}

function dropCounters(names: readonly string[]): string {
  return names.map((name) => `drop column ${name}`).join(', ');
}
