import type { Database } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { ReportsByType1793998000000 } from '../../../src/platform/database/migrations/1793998000000-reports-by-type.js';
import { databaseBefore } from '../../support/before-migration.js';
import type { TestDatabase } from '../../support/services.js';

const SOFT = `(organization_id, address_key, occurred_at) where bounce = 'soft'`;

const PARTITIONS = `
select inhrelid::regclass::text as partition,
       array(select pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' INVALID' end from pg_index
              where indrelid = inhrelid and not indisprimary order by 1) as indexes
  from pg_inherits where inhparent = 'delivery_events'::regclass order by 1`;

let testDatabase: TestDatabase;
let database: Database;

beforeEach(async () => {
  ({ testDatabase, database } = await databaseBefore(ReportsByType1793998000000));
  await database.query(`select create_event_partition('delivery_events', '2026-11-01')`);
});

afterEach(async () => {
  await database.pool.end();
  await testDatabase.drop();
});

async function expectMigrated(): Promise<void> {
  await database.query(`select create_event_partition('delivery_events', '2026-12-01')`);
  const partitions = await database.query<{ partition: string; indexes: string[] }>(PARTITIONS);
  expect(partitions.map(({ partition }) => partition)).toEqual([
    'delivery_events_2026_11',
    'delivery_events_2026_12',
    'delivery_events_default',
  ]);
  for (const { indexes } of partitions) {
    expect(indexes.map((index) => index.replace(/^.* USING btree /, '')).sort()).toEqual([
      '(email_id, address_key, occurred_at, id) WHERE (type = ANY ' +
        `(ARRAY['unsubscribed'::text, 'resubscribed'::text]))`,
      '(email_id, occurred_at)',
      `(organization_id, address_key, occurred_at) WHERE (bounce = 'soft'::text)`,
      '(organization_id, address_key, type, occurred_at)',
    ]);
  }
}

it('the indexes by type are on every partition, earlier and later', async () => {
  await migrate(testDatabase.url);
  await expectMigrated();
});

it('the indexes by type are completed after an interruption', async () => {
  await database.query(`create index delivery_events_soft on only delivery_events ${SOFT}`);
  // A build that breaks off leaves an index of its name, which is invalid.
  await database.query('create index delivery_events_2026_11_soft on delivery_events_2026_11 (arrival)');
  await migrate(testDatabase.url);
  await expectMigrated();
});
