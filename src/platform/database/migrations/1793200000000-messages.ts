import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds a text part, headers and tags to emails. */
export class Messages1793200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails add column tags text[]');
    await runner.query('alter table email_contents add column text text, add column headers jsonb');
    // As for the HTML: servers built without lz4 keep their default.
    await runner.query(`do $$ begin
      alter table email_contents alter column text set compression lz4;
    exception when feature_not_supported then null;
    end $$`);
    // Lists by tag read emails newest first, regardless of how many there are.
    await runner.query(`create table email_tags (
      organization_id uuid not null,
      tag text not null,
      email_id uuid not null constraint email_tags_email_id_fkey references emails (id) on delete cascade,
      primary key (organization_id, tag, email_id)
    )`);
    await runner.query('create index email_tags_email_id on email_tags (email_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table email_tags');
    await runner.query('alter table email_contents drop column text, drop column headers');
    await runner.query('alter table emails drop column tags');
  }
}
