import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the stored bytes of an organization were last measured. */
export class MeasuredStorage1793720200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table budget_usage add column measured_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table budget_usage drop column measured_at');
  }
}
