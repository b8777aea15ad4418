import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until when a broadcast waits for the emails of another day. */
export class BroadcastsThatWait1793720100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table broadcasts add column waits_until timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table broadcasts drop column waits_until');
  }
}
