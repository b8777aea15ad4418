import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that an organization writes once and sends with different variables. */
export class Templates1793300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table templates (
      id uuid primary key,
      organization_id uuid not null constraint templates_organization_id_fkey references organizations (id) on delete cascade,
      name text not null,
      version integer not null default 1,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    )`);
    await runner.query('create index templates_organization on templates (organization_id, id)');
    await runner.query(`create table template_versions (
      id uuid primary key,
      template_id uuid not null constraint template_versions_template_id_fkey references templates (id) on delete cascade,
      version integer not null,
      subject text not null,
      html_content text not null,
      compiled_html text,
      text_content text,
      variables text[] not null,
      created_at timestamptz(3) not null default now()
    )`);
    await runner.query('create unique index template_versions_version on template_versions (template_id, version)');
    // Servers built without lz4 keep their default.
    await runner.query(`do $$ begin
      alter table template_versions
        alter column html_content set compression lz4,
        alter column compiled_html set compression lz4,
        alter column text_content set compression lz4;
    exception when feature_not_supported then null;
    end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table template_versions');
    await runner.query('drop table templates');
  }
}
