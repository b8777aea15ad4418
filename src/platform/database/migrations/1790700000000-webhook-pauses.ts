import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The migration only adds, so an older build can still deliver. */
export class WebhookPauses1790700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of reverseStatements) await runner.query(statement);
  }
}

const statements = [
  // The delay that a receiver requested takes precedence over later failures and successes.
  'alter table webhook_endpoints add column asked_until timestamptz(3)',
  // Lets a replay find failed deliveries without reading delivered ones.
  `create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, id) where status = 'failed'`,
];

const reverseStatements = [
  'drop index webhook_deliveries_failed',
  'alter table webhook_endpoints drop column asked_until',
];
