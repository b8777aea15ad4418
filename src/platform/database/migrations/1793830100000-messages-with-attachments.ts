import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the messages whose attachments are still needed. */
export class MessagesWithAttachments1793830100000 implements MigrationInterface {
  /** Built concurrently, which cannot run in a transaction; an interrupted build is dropped first. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists messages_with_attachments');
    await runner.query(
      'create index concurrently messages_with_attachments on messages (organization_id) where attachments is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists messages_with_attachments');
  }
}
