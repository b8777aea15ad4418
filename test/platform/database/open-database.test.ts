import type { PoolClient } from 'pg';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase(1);
});
afterAll(() => opened?.close());

describe('a first connection that Postgres refuses', () => {
  it.each([
    ['password', 'Postgres refuses the user or the password of DATABASE_URL'],
    ['pathname', 'Postgres does not have the database of DATABASE_URL: create it first'],
  ] as const)('because of the %s says so, without showing it', async (part, message) => {
    const url = new URL(opened.url);
    url[part] = 'hunter2';
    await expect(openDatabase(url.href, 1)).rejects.toThrow(new Error(message));
  });
});

describe('an idle connection that Postgres ends', () => {
  it('is a warning', async () => {
    const log = new CapturedLog('warn', ['api']);
    const database = await openDatabase(opened.url, 1, { logger: log.logger });
    const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    await opened.database.query('select pg_terminate_backend($1)', [row!.pid]);
    await eventually(() => log.text.includes('Lost an idle connection to Postgres'));
    await database.pool.end();
  });

  it('is none once the pool ends: at the end of `npm start`, Postgres may be faster', async () => {
    const log = new CapturedLog('warn', ['api']);
    const database = await openDatabase(opened.url, 1, { logger: log.logger });
    const client: PoolClient = await database.pool.connect();
    client.release();
    const ended = database.pool.end();
    client.emit('error', new Error('terminating connection due to administrator command'));
    await ended;
    expect(log.text).toBe('');
  });
});

it('Postgres ends a session within 30 seconds after its host has vanished', async () => {
  const database = await openDatabase(opened.url, 1);
  // Of the socket itself.
  const [probes] = await database.query(
    `select current_setting('tcp_keepalives_idle')::int + current_setting('tcp_keepalives_interval')::int
              * current_setting('tcp_keepalives_count')::int as unanswered,
            current_setting('tcp_user_timeout') as unacknowledged`,
  );
  await database.pool.end();
  expect(probes).toEqual({ unanswered: 30, unacknowledged: '30000' });
});
