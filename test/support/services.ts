import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { Pool, type PoolClient } from 'pg';

/** The global set-up sets it for the processes that run tests. */
export const POSTGRES_URL_VARIABLE = 'MAILBEACON_TEST_POSTGRES_URL';
export const REDIS_URL_VARIABLE = 'MAILBEACON_TEST_REDIS_URL';

export const TEMPLATE_DATABASE = 'mailbeacon_template';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
  /** Drops it in the background: Postgres notices only after 0.1 s that its last connections have ended. */
  discard(): void;
}

/** Creates a migrated, empty database for the caller. */
export function createTestDatabase(): Promise<TestDatabase> {
  // The default strategy writes every block to the WAL, which takes twice the time.
  return createDatabase(`template ${TEMPLATE_DATABASE} strategy file_copy`);
}

/** Creates a database without tables for the caller. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('strategy file_copy');
}

async function createDatabase(options: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runStatement(`create database ${name} ${options}`);
  const url = new URL(urlFrom(POSTGRES_URL_VARIABLE));
  url.pathname = name;
  const discard = (): void => void dropDatabase(name, { keepsAlive: false }).catch(() => undefined);
  return { url: url.href, drop: () => dropDatabase(name), discard };
}

/** Without `keepsAlive`, the process may end before Postgres responds: the server ends with the test run. */
const AWAITED = { keepsAlive: true };

/**
 * A pool ends before Postgres has closed its connections. Forcing one closed would throw an error that nothing handles.
 * Without force Postgres waits for them, up to five seconds.
 */
async function dropDatabase(name: string, how = AWAITED): Promise<void> {
  const drop = `drop database if exists ${name}`;
  await runStatement(drop, how).catch(() => runStatement(`${drop} with (force)`, how));
}

export interface TestRedis {
  readonly url: string;
  flush(): Promise<void>;
}

/**
 * Creates an empty logical database. Keys are separate; PUBLISH channels are not, because Redis has one set of channels
 * for all logical databases.
 */
export async function createTestRedis(): Promise<TestRedis> {
  const url = new URL(urlFrom(REDIS_URL_VARIABLE));
  url.pathname = await withRedis(url.href, async (redis) => {
    const [counter, databases] = await Promise.all([
      redis.incr('last-test-database'),
      redis.config('GET', 'databases'),
    ]);
    const usable = Number((databases as string[])[1]) - 1; // Database 0 holds the counter.
    const database = String(1 + ((counter - 1) % usable));
    await redis.select(database);
    await redis.flushdb();
    return database;
  });
  const flush = (): Promise<void> => withRedis(url.href, async (redis) => void (await redis.flushdb()));
  return { url: url.href, flush };
}

function urlFrom(variable: string): string {
  const url = process.env[variable];
  if (url === undefined) throw new Error(`${variable} is not set: run tests with npm test`);
  return url;
}

/**
 * Creates and drops databases. A new connection takes as long as the copy of a database, so it stays open for a while;
 * it neither keeps a process alive nor holds up the end of Postgres.
 */
let administration: Pool | undefined;

async function runStatement(statement: string, { keepsAlive } = AWAITED): Promise<void> {
  administration ??= openAdministration();
  const client = await administration.connect();
  if (!keepsAlive) (client as PoolClient & { unref(): void }).unref();
  try {
    await client.query(statement);
  } finally {
    client.release();
  }
}

/**
 * The server may end first, even while the pool closes a connection. Statements report that; without a listener, the
 * error would also end the process.
 */
function openAdministration(): Pool {
  const pool = new Pool({
    ...{ connectionString: urlFrom(POSTGRES_URL_VARIABLE), max: 2 },
    ...{ idleTimeoutMillis: 2_000, allowExitOnIdle: true },
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

async function withRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
