import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps the hour in which an unsubscription counts when the report about it is deleted by age, so that it can still be
 * taken back there. For an unsubscription from before the upgrade the report decides, as long as it is stored.
 */
export class UnsubscriptionTimes1793890100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table recipient_deliveries add column unsubscribed_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table recipient_deliveries drop column unsubscribed_at');
  }
}
