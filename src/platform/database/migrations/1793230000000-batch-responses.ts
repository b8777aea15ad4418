import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the response to a batch with its idempotency key. */
export class BatchResponses1793230000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys add column response json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys drop column response');
  }
}
