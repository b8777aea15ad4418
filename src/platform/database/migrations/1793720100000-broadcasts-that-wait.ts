import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time until which a broadcast waits because the emails of the day are used up. */
export class BroadcastsThatWait1793720100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table broadcasts add column waits_until timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table broadcasts drop column waits_until');
  }
}
