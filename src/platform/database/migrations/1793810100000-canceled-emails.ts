import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lists canceled emails in their own table. Before, an index of `emails` did that, so every cancellation wrote an entry
 * in every index of the table. A trigger adds the rows, also for older builds. There are no foreign keys: they would
 * cost more than the rows, and code that deletes emails deletes these rows first.
 */
export class CanceledEmails1793810100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table canceled_emails (
      organization_id uuid not null,
      email_id uuid not null,
      primary key (organization_id, email_id)
    )`);
    await runner.query(`
      create function list_canceled_email() returns trigger language plpgsql as $$
      begin
        insert into canceled_emails (organization_id, email_id) values (new.organization_id, new.id) on conflict do nothing;
        return null;
      end $$`);
    // Fires only for statements that assign the column.
    await runner.query(`
      create trigger emails_list_canceled after update of canceled_at on emails
        for each row when (old.canceled_at is null and new.canceled_at is not null) execute function list_canceled_email()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger emails_list_canceled on emails');
    await runner.query('drop function list_canceled_email()');
    await runner.query('drop table canceled_emails');
  }
}
