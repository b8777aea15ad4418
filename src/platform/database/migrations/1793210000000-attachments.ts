import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Attachments: their bytes are stored once per content and organization, separately from each email's description of
 * them.
 */
export class Attachments1793210000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table attachment_contents (
      organization_id uuid not null
        constraint attachment_contents_organization_id_fkey references organizations (id) on delete cascade,
      sha256 bytea not null,
      bytes bytea not null,
      used_at timestamptz(3) not null default now(),
      primary key (organization_id, sha256)
    )`);
    // Most attachments are already compressed, and only uncompressed columns can be read slice by slice.
    await runner.query('alter table attachment_contents alter column bytes set storage external');
    await runner.query('create index attachment_contents_used_at on attachment_contents (used_at)');
    await runner.query(`create table email_attachments (
      email_id uuid not null
        constraint email_attachments_email_id_fkey references email_contents (email_id) on delete cascade,
      position smallint not null,
      organization_id uuid not null,
      sha256 bytea not null,
      size integer not null,
      filename text not null,
      content_type text not null,
      content_id text,
      primary key (email_id, position),
      constraint email_attachments_content_fkey
        foreign key (organization_id, sha256) references attachment_contents (organization_id, sha256)
    )`);
    await runner.query('create index email_attachments_content on email_attachments (organization_id, sha256)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table email_attachments');
    await runner.query('drop table attachment_contents');
  }
}
