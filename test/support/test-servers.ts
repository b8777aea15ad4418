import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../../src/embedded/postgres.js';
import { startRedis } from '../../src/embedded/redis.js';
import type { RunningServer } from '../../src/embedded/running-server.js';
import { prepareServiceHome } from '../../src/embedded/service-directory.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { cleanUpIfKilled, PROCESSES_DIRECTORY, REDIS_PID_FILE, RUN_DIRECTORY_VARIABLE } from './clean-up-if-killed.js';
import { putRedisOnPath } from './redis-on-path.js';
import { POSTGRES_URL_VARIABLE, REDIS_URL_VARIABLE, TEMPLATE_DATABASE } from './services.js';
import { SlowStores } from './slow-stores.js';
import { makeThrowAwayDirectory } from './throw-away-directory.js';

/** Only for throw-away data: a crash of the machine would lose it. */
const WITHOUT_DURABILITY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '300',
  autovacuum: 'off',
  // Each connection maps the pages that it touches, and dropping a database searches all of them.
  shared_buffers: '32MB',
};

/**
 * A busy disk takes seconds for an fsync, and Redis responds to nobody meanwhile. The page cache survives a killed
 * process.
 */
const WITHOUT_FSYNC = { appendfsync: 'no' };

/** Enough for one logical database per test file, many times over. */
const REDIS_DATABASES = '1024';

export interface TestServers {
  stop(): Promise<void>;
}

/** Starts a Postgres with a migrated template database and a Redis, both new and empty, for one test run. */
export async function startTestServers(): Promise<TestServers> {
  const directory = await makeThrowAwayDirectory('mailbeacon-test-');
  const watcher = cleanUpIfKilled(directory);
  const left = await collectWhatTestsLeave();
  const slowStores = SlowStores.fromEnvironment();
  const outcomes = await Promise.allSettled([startTestPostgres(directory), startTestRedis(directory)]);
  const stop = async (): Promise<void> => {
    slowStores.close();
    await Promise.all(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.stop()));
    await removeHomes(directory);
    watcher.dismiss();
    await left.remove();
  };
  try {
    const [postgres, redis] = outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }) as [RunningServer, RunningServer];
    await makeTemplate(postgres.url);
    process.env[POSTGRES_URL_VARIABLE] = await slowStores.before(postgres.url);
    process.env[REDIS_URL_VARIABLE] = await slowStores.before(redis.url);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Temporary files of tests go into one folder, and the processes that tests start are noted there: a test that is
 * interrupted can leave both, and they end with the run.
 */
async function collectWhatTestsLeave(): Promise<{ remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  // Servers that root starts run under another account, which must be able to traverse the folder.
  await chmod(directory, 0o711);
  await mkdir(join(directory, PROCESSES_DIRECTORY));
  const watcher = cleanUpIfKilled(directory);
  process.env['TMPDIR'] = directory;
  process.env[RUN_DIRECTORY_VARIABLE] = directory;
  return {
    remove: async () => {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      watcher.dismiss();
    },
  };
}

async function startTestPostgres(directory: string): Promise<RunningServer> {
  const home = await prepareServiceHome(directory, 'postgres');
  return startPostgres({ home, logFile: join(directory, 'postgres.log'), settings: WITHOUT_DURABILITY });
}

async function startTestRedis(directory: string): Promise<RunningServer> {
  const executable = await putRedisOnPath();
  const home = await prepareServiceHome(directory, 'redis');
  const settings = { ...WITHOUT_FSYNC, databases: REDIS_DATABASES, pidfile: REDIS_PID_FILE };
  return startRedis({ executable, home, logFile: join(directory, 'redis.log'), settings });
}

/** A home may be a symbolic link; see prepareServiceHome. */
async function removeHomes(directory: string): Promise<void> {
  for (const name of ['postgres', 'redis']) {
    const home = await realpath(join(directory, name)).catch(() => undefined);
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  }
  await rm(directory, { recursive: true, force: true });
}

/** Migrations run once. Every test database is a copy of the result, made in about 20 ms. */
async function makeTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${TEMPLATE_DATABASE}`);
    const template = new URL(url);
    template.pathname = TEMPLATE_DATABASE;
    await migrate(template.href);
    await client.query(`alter database ${TEMPLATE_DATABASE} with is_template true allow_connections false`);
  } finally {
    await client.end();
  }
}
