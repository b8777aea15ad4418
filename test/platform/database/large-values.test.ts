import type { Database } from '../../../src/platform/database/database.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { findPgBouncer, PgBouncer } from '../../support/pgbouncer.js';
import { createTestDatabase } from '../../support/services.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

const timeouts = { connectMs: 3_000, statementMs: 15_000 };
const poolings = findPgBouncer() === undefined ? (['session'] as const) : (['session', 'transaction'] as const);
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** `length` returns the number of characters that Postgres has received. */
const length = (sql: Pick<Database, 'prepared'>, values: readonly string[]): Promise<object[]> =>
  sql.prepared('length', `select length(array_to_string($1::text[], ''))`, [values]);

const idleLimit = (sql: Pick<Database, 'query'>): Promise<object[]> =>
  sql.query(`select current_setting('idle_in_transaction_session_timeout') as idle`);

it.each(poolings)('a transaction is not idle while large values arrive (pool mode %s)', async (pooling) => {
  const { url, drop } = await createTestDatabase();
  closers.push(drop);
  const bouncer = pooling === 'transaction' ? await PgBouncer.before(url, pooling) : undefined;
  if (bouncer) closers.push(() => bouncer.stop());
  const cable = await TcpProxy.before(new URL(bouncer?.url ?? url));
  closers.push(() => cable.goDown());
  const database = await openDatabase(cable.through(bouncer?.url ?? url), 1, { timeouts, pooling });
  closers.push(() => database.pool.end());

  await length(database, ['prepares it']);
  const values = Array.from({ length: 25 }, () => 'x'.repeat(100_000));
  cable.limitTo(1_000_000);
  const received = database.transaction(async (sql) => {
    await sql.query(`set local idle_in_transaction_session_timeout = '1s'`);
    return length(sql, values);
  });
  await expect(received).resolves.toEqual([{ length: 2_500_000 }]);
  cable.limitTo(Infinity);
  await expect(database.transaction(idleLimit)).resolves.toEqual([{ idle: '5s' }]);
});
