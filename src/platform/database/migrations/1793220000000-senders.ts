import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets lists find emails by their sender. Older emails have no key. */
export class Senders1793220000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails add column sender_key bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table emails drop column sender_key');
  }
}
