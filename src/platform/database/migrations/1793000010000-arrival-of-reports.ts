import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Orders reports with equal times, because SendGrid reports whole seconds. Older reports have no number. */
export class ArrivalOfReports1793000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table delivery_events add column arrival bigint');
    await runner.query('create sequence delivery_events_arrival owned by delivery_events.arrival');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table delivery_events drop column arrival');
  }
}
