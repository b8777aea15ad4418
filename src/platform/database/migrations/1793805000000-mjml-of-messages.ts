import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the original MJML of drafts, for editing. Older drafts have only their HTML. */
export class MjmlOfMessages1793805000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages add column mjml text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages drop column mjml');
  }
}
