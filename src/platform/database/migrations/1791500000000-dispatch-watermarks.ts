import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds lower bounds for dispatched emails, so that scans skip the dead rows that a long snapshot keeps; the time when
 * recovery last ran, so that it notices an outage; and how far events were deleted, so that a clock that jumps does not
 * delete years. Due times are truncated to milliseconds, so that a new email is due at once for a claim: timestamptz(3)
 * would round up by half a millisecond.
 */
export class DispatchWatermarks1791500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table dispatch_window ${columns.map((column) => `add column ${column}`).join(', ')}`);
    await runner.query(`create table event_history (
      id smallint primary key,
      kept_from timestamptz(3),
      moved_at timestamptz(3),
      constraint event_history_one_row check (id = 1)
    )`);
    await runner.query('insert into event_history (id) values (1)');
    for (const [table, column] of rounded) {
      await runner.query(`alter table ${table} alter column ${column} set default date_trunc('milliseconds', now())`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of rounded) {
      await runner.query(`alter table ${table} alter column ${column} set default now()`);
    }
    await runner.query('drop table event_history');
    const drops = columns.map((column) => `drop column ${column.split(' ')[0]}`);
    await runner.query(`alter table dispatch_window ${drops.join(', ')}`);
  }
}

const columns = [
  'dispatched_since timestamptz(3)',
  'unclaimed_since timestamptz(3)',
  'recovery_since timestamptz(3)',
  'recovery_at timestamptz(3)',
];

const rounded = [
  ['pending_emails', 'due_at'],
  ['webhook_deliveries', 'next_attempt_at'],
] as const;
