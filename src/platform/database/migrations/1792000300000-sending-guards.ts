import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Hourly counts of sent, bounced and complained recipients, and the organizations that they slow down or pause. */
export class SendingGuards1792000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table sending_rates (
      organization_id uuid not null references organizations (id) on delete cascade,
      hour timestamptz(3) not null,
      domain text not null,
      sent integer not null default 0,
      bounced integer not null default 0,
      complained integer not null default 0,
      primary key (organization_id, hour, domain)
    )`);
    await runner.query('create index sending_rates_hour on sending_rates (hour)');
    await runner.query(`create table sending_guards (
      organization_id uuid primary key references organizations (id) on delete cascade,
      state text not null,
      reason text,
      changed_at timestamptz(3) not null default now(),
      paced_until timestamptz(3),
      resumed_at timestamptz(3),
      constraint sending_guards_state check (state in ('normal', 'slowed', 'paused'))
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sending_guards');
    await runner.query('drop table sending_rates');
  }
}
