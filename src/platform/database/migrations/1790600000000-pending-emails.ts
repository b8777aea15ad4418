import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Moves the columns that change while an email is pending to a narrow table with few indexes; `emails` is written when
 * the email is accepted and when it becomes final. No index of `emails` contains a column that the final update
 * changes, so that update touches none of them. Columns that are no longer written stay for API processes of the
 * previous build, whose emails a trigger copies; workers of that build find no more work.
 */
export class PendingEmails1790600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of reverseStatements) await runner.query(statement);
  }
}

const statements = [
  // One row per email that is not final. dispatched_at is null while the email waits here and set while it has a job;
  // lease_token and lease_until are set while a worker delivers it. Rows are short-lived, so autovacuum is triggered by
  // the number of dead rows instead of their share.
  `create table pending_emails (
    email_id uuid primary key references emails (id) on delete cascade,
    organization_id uuid not null,
    queued_at timestamptz(3) not null default now(),
    due_at timestamptz(3) not null default now(),
    dispatched_at timestamptz(3),
    generation integer not null default 0,
    attempts integer not null default 0,
    crashes integer not null default 0,
    lease_token uuid,
    lease_until timestamptz(3),
    doubt_token uuid,
    possible_duplicate boolean not null default false,
    provider_id text,
    last_error text,
    waiter uuid
  ) with (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 1000
  )`,
  `create index pending_emails_waiting on pending_emails (organization_id, due_at) where dispatched_at is null`,
  `create index pending_emails_dispatched on pending_emails (organization_id, dispatched_at) where dispatched_at is not null`,

  // The single row that all dispatchers share.
  `create table dispatch_window (
    id smallint primary key,
    epoch uuid not null,
    share integer not null,
    constraint dispatch_window_one_row check (id = 1)
  )`,
  `insert into dispatch_window (id, epoch, share) values (1, gen_random_uuid(), 100)`,

  `insert into pending_emails (email_id, organization_id, queued_at, due_at, dispatched_at, generation, attempts, crashes,
      lease_token, lease_until, possible_duplicate, provider_id, last_error)
   select id, organization_id, created_at, coalesce(next_attempt_at, now()), case when status = 'sending' then now() end,
          generation + 1, attempts, crashes, lease_token, lease_until, possible_duplicate, provider_id, last_error
     from emails where status in ('queued', 'sending')`,
  // A worker of the previous build may finish the emails that it holds; it finds no other due ones.
  `update emails set next_attempt_at = null where status = 'queued'`,

  `alter table emails add column tracked boolean not null default false`,
  `update emails set tracked = true where status = 'tracked'`,
  `create index emails_failed on emails (organization_id, id) where failed_at is not null`,
  `create index emails_tracked on emails (organization_id, id) where tracked`,
  'drop index emails_queued',
  'drop index emails_leased',
  'drop index emails_unusual_status',

  `create function adopt_email() returns trigger language plpgsql as $$
   begin
     if new.status = 'queued' then
       insert into pending_emails (email_id, organization_id, due_at) values (new.id, new.organization_id, new.next_attempt_at);
     end if;
     update emails set next_attempt_at = null, tracked = (status = 'tracked') where id = new.id;
     return null;
   end $$`,
  `create trigger adopt_email after insert on emails for each row
     when ((new.status = 'queued' and new.next_attempt_at is not null) or (new.status = 'tracked' and not new.tracked))
     execute function adopt_email()`,
];

const reverseStatements = [
  'drop trigger adopt_email on emails',
  'drop function adopt_email()',
  `update emails e set attempts = p.attempts, crashes = p.crashes, generation = p.generation + 1, last_error = p.last_error,
          possible_duplicate = p.possible_duplicate, provider_id = p.provider_id, lease_token = p.lease_token,
          lease_until = p.lease_until, next_attempt_at = p.due_at,
          status = case when p.lease_token is null then 'queued' else 'sending' end
     from pending_emails p where p.email_id = e.id`,
  `create index emails_queued on emails (next_attempt_at) where status = 'queued'`,
  `create index emails_leased on emails (lease_until) where status = 'sending'`,
  `create index emails_unusual_status on emails (organization_id, status, id) where status in ('failed', 'tracked')`,
  'drop index emails_failed',
  'drop index emails_tracked',
  'alter table emails drop column tracked',
  'drop table dispatch_window',
  'drop table pending_emails',
];
