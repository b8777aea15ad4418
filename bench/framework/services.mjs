import { Buffer } from 'node:buffer';
import console from 'node:console';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { URL } from 'node:url';
import pg from 'pg';
import 'reflect-metadata';
import { startPostgres } from '../../dist/embedded/postgres.js';
import { provideRedisBinary } from '../../dist/embedded/provide-redis.js';
import { startRedis } from '../../dist/embedded/redis.js';
import { prepareServiceHome } from '../../dist/embedded/service-directory.js';
import { Database } from '../../dist/platform/database/database.js';
import { migrate } from '../../dist/platform/database/migrate.js';
import { freePort, Program } from './programs.mjs';

/**
 * A temporary Postgres and Redis with the durability that `npm start` gives them, and programs that use them. `close`,
 * and Ctrl-C, stops and removes everything.
 */
export class Services {
  #closers = [];
  #databases = 0;

  static async start() {
    const services = new Services();
    process.once('SIGINT', () => void services.close().then(() => process.exit(130)));
    process.once('SIGTERM', () => void services.close().then(() => process.exit(143)));
    try {
      await services.#start();
      return services;
    } catch (error) {
      await services.close();
      throw error;
    }
  }

  async #start() {
    this.directory = await mkdtemp(join(tmpdir(), 'mailbeacon-bench-'));
    this.#closers.push(() => removeAll(this.directory));
    this.postgres = await startPostgres({
      home: await prepareServiceHome(this.directory, 'postgres'),
      logFile: join(this.directory, 'postgres.log'),
    });
    this.#closers.push(() => this.postgres.stop());
    this.redis = await startRedis({
      executable: await provideRedisBinary('.mailbeacon', { report: console.error }),
      home: await prepareServiceHome(this.directory, 'redis'),
      logFile: join(this.directory, 'redis.log'),
    });
    this.#closers.push(() => this.redis.stop());
  }

  async close() {
    for (const close of this.#closers.splice(0).reverse()) await close().catch(console.error);
  }

  /** Resources to close before the services. */
  closeFirst(close) {
    this.#closers.push(close);
  }

  /** Creates a Postgres database and a logical Redis database. Returns their URLs as settings of our programs. */
  async newBackend() {
    const number = ++this.#databases;
    const name = `bench_${number}`;
    await this.asClient(this.postgres.url, (client) => client.query(`create database ${name}`));
    const databaseUrl = new URL(this.postgres.url);
    databaseUrl.pathname = name;
    const redisUrl = new URL(this.redis.url);
    redisUrl.pathname = String(number);
    return { DATABASE_URL: databaseUrl.href, REDIS_URL: redisUrl.href };
  }

  /** Does the same, and migrates the database. */
  async migratedBackend() {
    const backend = await this.newBackend();
    await migrate(backend.DATABASE_URL);
    return backend;
  }

  /** @param {(database: Database) => Promise<unknown>} work */
  async withDatabase({ DATABASE_URL }, work) {
    const pool = new pg.Pool({ connectionString: DATABASE_URL });
    try {
      return await work(new Database(pool));
    } finally {
      await pool.end();
    }
  }

  async asClient(url, work) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Starts a program that is stopped with the services, if it still runs. */
  run(parameters, environment, cwd) {
    const program = new Program(parameters, environment, cwd);
    this.closeFirst(() => program.stop());
    return program;
  }

  /** Runs a command of the project and reads the JSON that it prints. */
  async cli(backend, ...parameters) {
    const program = this.run(['dist/cli/main.js', ...parameters], { ...backend, LOG_LEVEL: 'error' });
    await program.exits();
    return JSON.parse(program.printed);
  }

  /** Starts the built service with these roles, and waits until it is ready. */
  async ours(roles, backend, environment = {}, nodeOptions = []) {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const program = this.run([...nodeOptions, 'dist/roles/main.js'], {
      ...backend,
      ROLES: roles,
      PORT: String(port),
      HOST: '127.0.0.1',
      OPERATOR_PORT: '0',
      BASE_URL: address,
      SMTP_URL: 'smtp://127.0.0.1:9', // Nothing is sent unless a scenario names a provider.
      ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 'bench').toString('base64')}`,
      SPOOL_DIRECTORY: join(this.directory, `spool-${port}`),
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      RATE_LIMIT_PER_MINUTE: '0',
      ...environment,
    });
    await program.responds(`${address}/health/ready`);
    return { program, address, pid: program.pid };
  }
}

/** A home may be a link to a folder elsewhere, see prepareServiceHome. */
async function removeAll(directory) {
  for (const name of ['postgres', 'redis']) {
    const home = await realpath(join(directory, name)).catch(() => undefined);
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  }
  await rm(directory, { recursive: true, force: true });
}
