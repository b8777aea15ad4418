import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates checks in a separate transaction, which blocks no writer. */
export class ChecksOfGuardsAndKeys1793620000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sending_guards validate constraint sending_guards_state');
    await runner.query('alter table api_keys validate constraint api_keys_scopes');
  }

  async down(): Promise<void> {
    // The migrations that add the checks also drop them.
  }
}
