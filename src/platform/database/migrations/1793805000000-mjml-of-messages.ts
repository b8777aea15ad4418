import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A draft in MJML is changed as it was written. Drafts of before have their HTML only. */
export class MjmlOfMessages1793805000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages add column mjml text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages drop column mjml');
  }
}
