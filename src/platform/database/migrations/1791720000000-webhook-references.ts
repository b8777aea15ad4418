import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Deliveries of opens and clicks refer to their event instead of holding a body. A worker of an older build cannot
 * create the body: it fails before the request, and the delivery is due again when its lease ends.
 */
export class WebhookReferences1791720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table webhook_deliveries alter column body drop not null,
      add column email_id uuid, add column event_id uuid, add column link_position smallint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from webhook_deliveries where body is null');
    await runner.query(`alter table webhook_deliveries alter column body set not null,
      drop column email_id, drop column event_id, drop column link_position`);
  }
}
