import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../../src/embedded/postgres.js';
import type { RunningServer } from '../../src/embedded/running-server.js';
import { waitUntil, isRunning } from '../../src/embedded/server-process.js';
import { prepareServiceHome } from '../../src/embedded/service-directory.js';
import { cleanUpWhenWeDie } from './clean-up-when-we-die.js';
import { makeThrowAwayDirectory } from './throw-away-directory.js';

const STOP_PATIENCE_MS = 20_000;

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
    const prefix = 'mailbeacon-postgres-';
    const directory = await (parent ? mkdtemp(join(parent, prefix)) : makeThrowAwayDirectory(prefix));
    const watcher = cleanUpWhenWeDie(directory);
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
    if (!(await waitUntil(() => !isRunning(pid), STOP_PATIENCE_MS))) throw new Error('Postgres does not stop');
  }

  /** Recovers from the WAL first if it was stopped with `immediate`. */
  async start(): Promise<void> {
    this.server = await startIn(this.directory, this.settings);
  }

  async remove(): Promise<void> {
    await this.server.stop();
    this.watcher.dismiss();
    const home = await realpath(join(this.directory, 'postgres')).catch(() => undefined);
    if (home !== undefined) await rm(home, { recursive: true, force: true });
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function startIn(directory: string, settings: Readonly<Record<string, string>>): Promise<RunningServer> {
  const home = await prepareServiceHome(directory, 'postgres');
  return startPostgres({ home, logFile: join(directory, 'postgres.log'), settings });
}
