import { databaseOf } from '../../src/database/database-of.js';
import { createDataSource } from '../../src/database/data-source.js';
import type { Database } from '../../src/database/database.js';
import { byIndex } from '../../src/emails/by-index.js';
import { createLogger } from '../../src/logging/logger.js';
import { eventually } from '../support/eventually.js';
import { createTestDatabase } from '../support/services.js';

let database: Database;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const { url, drop } = await createTestDatabase();
  const dataSource = await createDataSource(url, 3).initialize();
  closers.push(
    () => dataSource.destroy(),
    () => drop(),
  );
  database = databaseOf(dataSource, createLogger('fatal', []));
});
afterAll(async () => {
  for (const close of closers) await close();
});

async function isGone(pid: number): Promise<boolean> {
  return (await database.query('select from pg_stat_activity where pid = $1', [pid])).length === 0;
}

describe('a transaction', () => {
  it('that loses its connection between two statements fails, and hurts nobody else', async () => {
    const lost = database.transaction(async (sql) => {
      const [row] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.query('select pg_terminate_backend($1)', [row!.pid]);
      await eventually(() => isGone(row!.pid));
      await sql.query('select 1');
    });
    await expect(lost).rejects.toThrow();
    expect(await database.transaction((sql) => sql.query('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  it('that others wait for is cut off when its process stands still', async () => {
    const stuck = byIndex(database, async (sql) => {
      const [row] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
      await eventually(() => isGone(row!.pid), 10_000);
      await sql.query('select 1');
    });
    await expect(stuck).rejects.toThrow();
    // Nothing of it stays with the connection.
    const [row] = await database.query<{ scan: string }>(`select current_setting('enable_seqscan') as scan`);
    expect(row!.scan).toBe('on');
  }, 20_000);
});
