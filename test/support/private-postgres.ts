import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../../src/embedded/postgres.js';
import type { RunningServer } from '../../src/embedded/running-server.js';
import { waitUntil, isRunning } from '../../src/embedded/server-process.js';
import { prepareServiceHome, writeInto } from '../../src/embedded/service-directory.js';
import { cleanUpIfKilled } from './clean-up-if-killed.js';
import { makeThrowAwayDirectory } from './throw-away-directory.js';

const run = promisify(execFile);

const STOP_TIMEOUT_MS = 20_000;

const PREFIX = 'mailbeacon-postgres-';

/** Signals that stop PostgreSQL: `fast` ends sessions in order, `immediate` acts like a crash. */
const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** A Postgres for tests that stop and restart it. Its data and port survive. */
export class PrivatePostgres {
  private constructor(
    private readonly directory: string,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly watcher: { dismiss(): void },
    private server: RunningServer,
  ) {}

  /** @param settings as in postgresql.conf @param parent folder for its data, for tests that need a certain one */
  static async start(settings: Readonly<Record<string, string>> = {}, parent?: string): Promise<PrivatePostgres> {
    const directory = await (parent ? mkdtemp(join(parent, PREFIX)) : makeThrowAwayDirectory(PREFIX));
    const watcher = cleanUpIfKilled(directory);
    return new PrivatePostgres(directory, settings, watcher, await startIn(directory, settings));
  }

  /**
   * Starts a standby, from a base backup as `pg_basebackup` makes it, which the embedded server comes without.
   * @param primary without load meanwhile: a file that it deletes could not be copied
   * @param through the address by which the standby reaches it
   */
  static async standbyOf(primary: PrivatePostgres, through: URL): Promise<PrivatePostgres> {
    const directory = await makeThrowAwayDirectory(PREFIX);
    const watcher = cleanUpIfKilled(directory);
    await copyData(primary, directory);
    const { hostname, port, username, password } = through;
    const primaryConninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
    const settings = { ...primary.settings, primary_conninfo: primaryConninfo };
    return new PrivatePostgres(directory, settings, watcher, await startIn(directory, settings));
  }

  get url(): string {
    return this.server.url;
  }

  /** Contains the data files, and `pg_wal` beside them. */
  get dataDirectory(): string {
    return join(this.directory, 'postgres', 'data');
  }

  get isRunning(): boolean {
    return isRunning(this.server.pid);
  }

  /** What the server has logged so far. */
  log(): Promise<string> {
    return readFile(join(this.directory, 'postgres.log'), 'utf8');
  }

  async stop(how: keyof typeof STOP_SIGNALS): Promise<void> {
    const { pid } = this.server;
    process.kill(pid, STOP_SIGNALS[how]);
    if (!(await waitUntil(() => !isRunning(pid), STOP_TIMEOUT_MS))) throw new Error('Postgres does not stop');
  }

  /** Recovers from the WAL first if it was stopped with `immediate`. */
  async start(): Promise<void> {
    this.server = await startIn(this.directory, this.settings);
  }

  /** Starts with the data of another server, which has stopped, at the address of this one, which has stopped too. */
  async startWithDataOf(other: PrivatePostgres): Promise<void> {
    await rm(this.dataDirectory, { recursive: true });
    await run('mv', [other.dataDirectory, this.dataDirectory]);
    await this.start();
  }

  async remove(): Promise<void> {
    await this.server.stop();
    this.watcher.dismiss();
    const home = await realpath(join(this.directory, 'postgres')).catch(() => undefined);
    if (home !== undefined) await rm(home, { recursive: true, force: true });
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function copyData(primary: PrivatePostgres, directory: string): Promise<void> {
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    const source = await realpath(join(primary.dataDirectory, '..'));
    await run('cp', ['-a', source, join(directory, 'postgres')]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    const home = await prepareServiceHome(directory, 'postgres');
    await rm(join(home.path, 'port'));
    await rm(join(home.path, 'data', 'postmaster.pid'));
    await writeInto(home, join('data', 'backup_label'), rows[0]!.labelfile);
    await writeInto(home, join('data', 'standby.signal'), '');
  } finally {
    await client.end();
  }
}

async function startIn(directory: string, settings: Readonly<Record<string, string>>): Promise<RunningServer> {
  const home = await prepareServiceHome(directory, 'postgres');
  return startPostgres({ home, logFile: join(directory, 'postgres.log'), settings });
}
