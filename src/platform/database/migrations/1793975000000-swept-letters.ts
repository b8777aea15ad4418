import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far an erasure has searched the dead letters: one statement for all of them would run into its time limit. */
export class SweptLetters1793975000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table contact_erasures add column swept_letter text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table contact_erasures drop column swept_letter');
  }
}
