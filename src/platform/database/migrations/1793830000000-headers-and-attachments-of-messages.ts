import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds headers and attachments to the messages of broadcasts. */
export class HeadersAndAttachmentsOfMessages1793830000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages add column headers jsonb, add column attachments jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages drop column headers, drop column attachments');
  }
}
