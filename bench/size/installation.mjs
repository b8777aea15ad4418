import { spawn } from 'node:child_process';
import console from 'node:console';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { URL } from 'node:url';
import { fetch } from 'undici';
import { startPostgres } from '../../dist/embedded/postgres.js';
import { provideRedisBinary } from '../../dist/embedded/provide-redis.js';
import { startRedis } from '../../dist/embedded/redis.js';
import { prepareServiceHome } from '../../dist/embedded/service-directory.js';

const READY_DEADLINE_MS = 60_000;

/**
 * A temporary Postgres and Redis as `npm start` embeds them, with full durability, and services that use them.
 * `close`, and Ctrl-C, stops and removes everything.
 */
export async function openInstallation() {
  const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-bench-'));
  const closers = [() => removeAll(directory)];
  let closing;
  const close = () => (closing ??= closeAll(closers));
  process.once('SIGINT', () => void close().then(() => process.exit(130)));
  process.once('SIGTERM', () => void close().then(() => process.exit(143)));
  try {
    const postgres = await startPostgres({
      home: await prepareServiceHome(directory, 'postgres'),
      logFile: join(directory, 'postgres.log'),
    });
    closers.unshift(() => postgres.stop());
    const redis = await startRedis({
      executable: await provideRedisBinary('.mailbeacon', { report: console.error }),
      home: await prepareServiceHome(directory, 'redis'),
      logFile: join(directory, 'redis.log'),
    });
    closers.unshift(() => redis.stop());
    return {
      close,
      closeFirst: (closer) => closers.unshift(closer),
      seedDatabase: (name, scale) => seedDatabase(postgres, name, scale),
      openService: (name, databaseUrl) => openService({ name, databaseUrl, directory, redis, closers }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Can be called again, as by an interrupt during a failure: all callers wait for the same end. */
async function closeAll(closers) {
  while (closers.length > 0) await closers.shift()();
}

let services = 0;

/** Creates a database and seeds it before any service uses it, because seeding locks its tables. */
async function seedDatabase(postgres, name, scale) {
  const url = new URL(postgres.url);
  url.pathname = name;
  await createDatabase(postgres.url, name);
  const environment = { ...process.env, DATABASE_URL: url.href };
  await cli(environment, ['migrate']);
  return { databaseUrl: url.href, seeded: await cli(environment, ['seed', '--yes', '--scale', String(scale)]) };
}

/** Starts a process with all four roles, with this database and a logical Redis database. */
async function openService({ name, databaseUrl, directory, redis, closers }) {
  const redisUrl = new URL(redis.url);
  redisUrl.pathname = String(++services);
  const port = await freePort();
  const environment = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl.href,
    SMTP_URL: 'smtp://127.0.0.1:9', // nothing is sent
    SPOOL_DIRECTORY: join(directory, `spool-${name}`),
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
  const child = spawn(process.execPath, ['dist/roles/main.js'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  closers.unshift(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const address = `http://127.0.0.1:${port}`;
  await becomesReady(address, child);
  return address;
}

async function createDatabase(url, name) {
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
}

/** Runs a command of the project and reads the JSON that it prints. */
async function cli(environment, arguments_) {
  const child = spawn(process.execPath, ['dist/cli/main.js', ...arguments_], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${arguments_[0]} ended with ${code}`);
  return JSON.parse(printed);
}

async function becomesReady(address, child) {
  for (const deadline = Date.now() + READY_DEADLINE_MS; Date.now() < deadline; await setTimeout(50)) {
    if (child.exitCode !== null) break;
    const response = await fetch(`${address}/health/ready`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
  }
  throw new Error('The service did not become ready');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A home may be a link to a folder elsewhere, see prepareServiceHome. */
async function removeAll(directory) {
  for (const name of ['postgres', 'redis']) {
    const home = await realpath(join(directory, name)).catch(() => undefined);
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  }
  await rm(directory, { recursive: true, force: true });
}
