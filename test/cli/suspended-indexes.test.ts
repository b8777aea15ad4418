import { Pool } from 'pg';
import { withIndexesSuspended } from '../../src/cli/seed/suspended-indexes.js';
import { Database } from '../../src/platform/database/database.js';
import { whileLocked } from '../support/held-lock.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { indexesAndKeys } from './indexes-and-keys.js';

const tables = ['campaigns', 'emails'];
const ignore = (): void => undefined;

let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;
let definitions: string[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url, max: 2 });
  database = new Database(pool);
  definitions = await indexesAndKeys(database);
});

afterAll(async () => {
  await pool.end();
  await testDatabase.drop();
});

describe('indexes suspended for a load', () => {
  it('are dropped during the load, with everything that refers to them, and recreated identically afterwards', async () => {
    const restored: number[] = [];
    await database.transaction((sql) =>
      withIndexesSuspended(
        sql,
        tables,
        async () => {
          const left = await sql.query(`select indexname from pg_indexes where tablename = any($1)`, [tables]);
          expect(left).toEqual([]);
        },
        (done) => restored.push(done),
      ),
    );
    expect(restored.length).toBeGreaterThan(10);
    expect(await indexesAndKeys(database)).toEqual(definitions);
  });

  it('are recreated even if the load fails', async () => {
    const loading = database.transaction((sql) =>
      withIndexesSuspended(sql, tables, () => Promise.reject(new Error('No more disk')), ignore),
    );
    await expect(loading).rejects.toThrow('No more disk');
    expect(await indexesAndKeys(database)).toEqual(definitions);
  });

  it('report violations that the load has caused', async () => {
    const loading = database.transaction((sql) =>
      withIndexesSuspended(
        sql,
        tables,
        () =>
          sql.query(
            `insert into campaigns (id, organization_id, name) select gen_random_uuid(), gen_random_uuid(), 'x'`,
          ),
        ignore,
      ),
    );
    await expect(loading).rejects.toThrow(/foreign key/);
  });

  it('are not dropped while another session uses the tables', async () => {
    await whileLocked(
      database,
      (sql) => sql.query('lock table campaigns in access share mode'),
      async () => {
        const loading = database.transaction((sql) =>
          withIndexesSuspended(sql, tables, () => Promise.resolve(), ignore),
        );
        await expect(loading).rejects.toThrow(
          'The tables are in use: stop all programs that use this database before seeding it',
        );
      },
    );
  });
});
