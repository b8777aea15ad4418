import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only additions: an older build goes on delivering beside this one. */
export class WebhookPauses1790700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of reverseStatements) await runner.query(statement);
  }
}

const statements = [
  // What a receiver asked for outlasts what follows from failures and successes meanwhile.
  'alter table webhook_endpoints add column asked_until timestamptz(3)',
  // A replay finds what failed without reading what was delivered.
  `create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, id) where status = 'failed'`,
];

const reverseStatements = [
  'drop index webhook_deliveries_failed',
  'alter table webhook_endpoints drop column asked_until',
];
