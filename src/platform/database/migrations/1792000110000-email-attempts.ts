import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Failed attempts of an email, for its timeline. */
export class EmailAttempts1792000110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table email_attempts (
      email_id uuid not null constraint email_attempts_email_id_fkey references emails (id) on delete cascade,
      at timestamptz(3) not null default now(),
      number integer not null,
      reason text not null,
      primary key (email_id, at)
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table email_attempts');
  }
}
