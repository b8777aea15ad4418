import { Database } from '../../../src/platform/database/database.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase } from '../../support/services.js';

let database: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const testDatabase = await createTestDatabase();
  drop = () => testDatabase.drop();
  database = await openDatabase(testDatabase.url, 1);
});

afterAll(async () => {
  await database.pool.end();
  await drop();
});

/** timestamptz(3) rounds: half of all moments would become due up to half a millisecond later. */
it.each([
  ['pending_emails', 'due_at', 'email_id, organization_id', 'gen_random_uuid(), gen_random_uuid()'],
  [
    'webhook_deliveries',
    'next_attempt_at',
    'id, endpoint_id, type, body',
    "gen_random_uuid(), gen_random_uuid(), 'T', ''",
  ],
])('a row inserted into %s is due immediately', async (table, column, names, values) => {
  await database.query(`create table trial_${table} (like ${table} including defaults)`);
  for (let insert = 0; insert < 40; insert++) {
    const rows = await database.query(
      `insert into trial_${table} (${names}) values (${values}) returning ${column} <= now() as "isDue"`,
    );
    expect(rows).toEqual([{ isDue: true }]);
  }
});
