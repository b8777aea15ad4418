import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations whose mail is being canceled: workers finish a cancellation that a command began. */
export class UnfinishedCancellations1793810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sending_guards add column cancel_step_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sending_guards drop column cancel_step_at');
  }
}
