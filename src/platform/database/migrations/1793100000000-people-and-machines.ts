import type { MigrationInterface, QueryRunner } from 'typeorm';

const MACHINE_COUNTERS = ['machine_opens', 'machine_clicks'];
const CAMPAIGN_COUNTERS = [
  'unique_opens',
  'unique_clicks',
  ...MACHINE_COUNTERS,
  'prefetches',
  'previews',
  'scans',
  'bots',
];
const COUNTERS: Readonly<Record<string, readonly string[]>> = {
  emails: MACHINE_COUNTERS,
  contacts: MACHINE_COUNTERS,
  event_sums: MACHINE_COUNTERS,
  email_link_clicks: ['machine_clicks'],
  campaign_links: ['machine_clicks'],
  campaign_totals: CAMPAIGN_COUNTERS,
};

/**
 * Classifies opens and clicks. Machines are counted separately from the totals, so that all earlier hits count as
 * people.
 */
export class PeopleAndMachines1793100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("alter table events add column verdict smallint not null default '0'");
    for (const [table, names] of Object.entries(COUNTERS)) {
      const columns = names.map((name) => `add column ${name} bigint not null default 0`);
      await runner.query(`alter table ${table} ${columns.join(', ')}`);
    }
    await runner.query(`alter table emails
      add column person_opened boolean not null default false, add column person_clicked boolean not null default false`);
    await runner.query(`create table email_machine_hits (
      email_id uuid not null constraint email_machine_hits_email_id_fkey references emails (id) on delete cascade,
      class smallint not null,
      hits bigint not null,
      primary key (email_id, class)
    )`);
    await runner.query('alter table webhook_endpoints add column people boolean not null default false');
    await runner.query('alter table webhook_deliveries add column verdict smallint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_deliveries drop column verdict');
    await runner.query('alter table webhook_endpoints drop column people');
    await runner.query('drop table email_machine_hits');
    await runner.query('alter table emails drop column person_opened, drop column person_clicked');
    for (const [table, names] of Object.entries(COUNTERS)) {
      await runner.query(`alter table ${table} ${names.map((name) => `drop column ${name}`).join(', ')}`);
    }
    await runner.query('alter table events drop column verdict');
  }
}
