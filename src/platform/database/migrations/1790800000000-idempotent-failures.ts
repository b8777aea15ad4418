import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A failed email can be retried, so the failure reason of the first response is stored with the key. */
export class IdempotentFailures1790800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys add column failure text');
    await runner.query(
      'update idempotency_keys k set failure = e.last_error from emails e where e.id = k.email_id and k.status = 500',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys drop column failure');
  }
}
