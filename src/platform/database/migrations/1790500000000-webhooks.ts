import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the columns for delivering webhooks. The migration only adds, so an older build can still write its deliveries.
 */
export class Webhooks1790500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of reverseStatements) await runner.query(statement);
  }
}

const endpointColumns = [
  'sealed_secret text',
  'sealed_previous_secret text',
  'previous_secret_until timestamptz(3)',
  // Consecutive failures, when they began, and until when the endpoint is paused because of them.
  'failures integer not null default 0',
  'failing_since timestamptz(3)',
  'paused_until timestamptz(3)',
  'disabled_at timestamptz(3)',
  'disabled_reason text',
  'deleted_at timestamptz(3)',
];

// During an attempt, next_attempt_at is the end of its lease, so one column and one index are enough to find due
// deliveries.
const deliveryColumns = ['lease_token uuid', 'retries integer not null default 0', 'finished_at timestamptz(3)'];

const add = (columns: readonly string[]): string => columns.map((column) => `add column ${column}`).join(', ');
const drop = (columns: readonly string[]): string =>
  columns.map((column) => `drop column ${column.split(' ')[0]}`).join(', ');

const statements = [
  `alter table webhook_endpoints ${add(endpointColumns)},
     add constraint webhook_endpoints_disabled_reason check (disabled_reason in ('requested', 'gone', 'failing'))`,
  // Lets a flush see quickly that no webhook subscribes to opens and clicks.
  `create index webhook_endpoints_engagement on webhook_endpoints (organization_id)
     where enabled and events && '{EMAIL_OPENED,EMAIL_CLICKED}'::text[]`,
  `alter table webhook_deliveries ${add(deliveryColumns)}`,
  // The endpoint comes first: due deliveries are taken endpoint by endpoint, so that a long queue of one does not block
  // another.
  `create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending'`,
  `create table webhook_attempts (
    delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
    number integer not null,
    started_at timestamptz(3) not null,
    duration_ms integer not null,
    status smallint,
    error text,
    answer text,
    primary key (delivery_id, number)
  )`,
];

const reverseStatements = [
  'drop table webhook_attempts',
  'drop index webhook_deliveries_due',
  `alter table webhook_deliveries ${drop(deliveryColumns)}`,
  'drop index webhook_endpoints_engagement',
  `alter table webhook_endpoints drop constraint webhook_endpoints_disabled_reason, ${drop(endpointColumns)}`,
];
