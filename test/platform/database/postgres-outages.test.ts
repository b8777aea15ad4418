import { openDatabase } from '../../../src/platform/database/open-database.js';
import type { Database } from '../../../src/platform/database/database.js';
import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;
let log: CapturedLog;
let now = 0;
const outages = new StoreOutages(() => now);
beforeAll(async () => {
  opened = await openTestDatabase(1);
  log = new CapturedLog('warn', []);
  outages.reportTo(log.logger);
  database = await openDatabase(opened.url, 2, { outages });
});
afterAll(async () => {
  await database.pool.end();
  await opened.close();
});

it('a transaction that Postgres ends because the process did nothing in it is no outage, and its error says why it ended', async () => {
  const hangs = database.transaction(async (sql) => {
    const [row] = await sql.query<{ pid: number }>(
      `select pg_backend_pid() as pid, set_config('idle_in_transaction_session_timeout', '50ms', true)`,
    );
    const isOver = `select not exists (select from pg_stat_activity where pid = $1) as over`;
    await eventually(async () => (await opened.database.query<{ over: boolean }>(isOver, [row!.pid]))[0]!.over);
    await sql.query('select 1');
  });
  await expect(hangs).rejects.toMatchObject({ code: '25P03' });
  expect(log.text).toBe('');
});

it('a statement that began during an outage and fails after its end begins no second one', async () => {
  const hangs = database.query(`select pg_sleep(600) as hangs`);
  const failure = hangs.catch((error: unknown) => error);
  const pids = `select pid from pg_stat_activity where datname = current_database() and query like '%as hangs' and pid <> pg_backend_pid()`;
  const hanging = await eventually(async () => (await opened.database.query<{ pid: number }>(pids))[0]);
  outages.failed('Postgres', new Error('lost'));
  now += 10_000;
  await database.query('select 1');
  await opened.database.query('select pg_terminate_backend($1)', [hanging.pid]);
  expect(await failure).toMatchObject({ code: '57P01' });
  expect(outages.explains(await failure)).toBe(true);
  expect(outages.isOngoing('Postgres')).toBe(false);
  outages.failed('Postgres', new Error('lost'));
  expect(outages.isOngoing('Postgres')).toBe(true);
});
