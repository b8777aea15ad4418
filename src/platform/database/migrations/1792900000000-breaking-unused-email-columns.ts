import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the columns of `emails` whose values live in `pending_emails`, and the trigger that moved them there. Builds
 * that still write them were never released.
 */
export class BreakingUnusedEmailColumns1792900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger adopt_email on emails');
    await runner.query('drop function adopt_email()');
    await runner.query(`alter table emails
      drop column generation, drop column crashes, drop column next_attempt_at,
      drop column lease_until, drop column lease_token`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table emails
      add column generation integer not null default 0, add column crashes integer not null default 0,
      add column next_attempt_at timestamptz(3), add column lease_until timestamptz(3), add column lease_token uuid`);
    await runner.query(ADOPT_EMAIL);
    await runner.query(`create trigger adopt_email after insert on emails for each row
      when ((new.status = 'queued' and new.next_attempt_at is not null) or (new.status = 'tracked' and not new.tracked))
      execute function adopt_email()`);
  }
}

const ADOPT_EMAIL = `create function adopt_email() returns trigger language plpgsql as $$
  begin
    if new.status = 'queued' then
      insert into pending_emails (email_id, organization_id, due_at) values (new.id, new.organization_id, new.next_attempt_at);
    end if;
    update emails set next_attempt_at = null, tracked = (status = 'tracked') where id = new.id;
    return null;
  end $$`;
