import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates checks in a transaction of its own, which stops no writer. */
export class ChecksOfGuardsAndKeys1793620000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sending_guards validate constraint sending_guards_state');
    await runner.query('alter table api_keys validate constraint api_keys_scopes');
  }

  async down(): Promise<void> {
    // The checks go with the migrations that add them.
  }
}
