import type { QueryRunner } from 'typeorm';
import type { Database } from '../../../src/platform/database/database.js';
import { StoredStatuses1793870000000 } from '../../../src/platform/database/migrations/1793870000000-stored-statuses.js';
import { CheckedStatuses1793870100000 } from '../../../src/platform/database/migrations/1793870100000-checked-statuses.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const ID = '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40';

let opened: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
});
afterEach(() => opened?.close());

it('an email that an early build was sending is queued, and no other is written so', async () => {
  const runner = { query: (sql: string) => database.query(sql) } as unknown as QueryRunner;
  await new StoredStatuses1793870000000().down(runner);
  await database.query(`insert into organizations (id, name, plan) values ($1, 'Early', 'default')`, [ID]);
  const insert = `insert into emails (id, tracking_id, organization_id, contact_ids, status) values ($1, $1::uuid::text, $2, '{}', $3)`;
  await database.query(insert, [ID, ID, 'sending']);
  await new StoredStatuses1793870000000().up(runner);
  await new CheckedStatuses1793870100000().up(runner);
  expect(await database.query('select status from emails')).toEqual([{ status: 'queued' }]);
  const another = ID.replace('0190', '0191');
  await expect(database.query(insert, [another, ID, 'scheduled'])).rejects.toMatchObject({
    constraint: 'emails_status',
  });
  expect(await database.query(`select convalidated from pg_constraint where conname = 'emails_status'`)).toEqual([
    { convalidated: true },
  ]);
});
