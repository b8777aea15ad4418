import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { portChoice, START_ATTEMPTS } from './free-port.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { POSTGRES_USER, prepareCluster, type PostgresCluster } from './postgres-cluster.js';
import type { RunningServer } from './running-server.js';
import { becomesReady, isRunning, lastErrorLine, runsIn, spawnServer, stopProcess } from './server-process.js';
import { writeInto, type ServiceHome } from './service-directory.js';

/** Time for a fast shutdown before the immediate one, after which the next start replays the write-ahead log. */
const STOP_TIMEOUT_MS = 3_000;
/** PostgreSQL's fast shutdown, then its immediate one. */
const STOP_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

export interface PostgresOptions {
  readonly home: ServiceHome;
  readonly logFile: string;
  /** Additional server settings, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Ends the wait for a server that is not ready yet. */
  readonly signal?: AbortSignal | undefined;
  /** Uses no other port than the start before, because clients reconnect to it. */
  readonly keepsPort?: boolean;
}

/**
 * Starts PostgreSQL on a free loopback port, over TCP only (a Unix socket path is limited to 107 bytes). Creates the
 * cluster if it does not exist. Adopts a server that an earlier process left running.
 * @throws EmbeddedServiceError with the last line of the server's log if it does not start
 * @throws the signal's reason if it aborts first; a server that this call has started is stopped
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  const { home, logFile, settings = {}, signal, keepsPort = false } = options;
  const binaries = await findPostgresBinaries(home.account);
  const cluster = await prepareCluster(binaries, home);
  const running = await adopt(cluster, signal);
  if (running) return running;

  const choosePort = portChoice(await readLastPort(home), keepsPort);
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(attempt);
    const pid = await spawnServer({
      executable: binaries.postgres,
      arguments: ['-D', cluster.dataDirectory, ...serverArguments(port, settings)],
      directory: home.path,
      logFile,
      account: home.account,
    });
    if (await becomesReady(pid, () => ensureDatabase(port, cluster), signal)) {
      await writeInto(home, 'port', String(port));
      return runningServer(pid, port, cluster);
    }
    await stopProcess(pid, STOP_TIMEOUT_MS, STOP_SIGNALS);
    signal?.throwIfAborted();
    if (attempt === START_ATTEMPTS) throw notStarted(await lastErrorLine(logFile), cluster);
  }
}

function notStarted(reason: string, { dataDirectory }: PostgresCluster): EmbeddedServiceError {
  const isOfOtherVersion = reason.includes('incompatible with server');
  const remedy = `: start it with the version that wrote them, or rename ${dataDirectory} to start with an empty database`;
  return new EmbeddedServiceError(`PostgreSQL did not start: ${reason}${isOfOtherVersion ? remedy : ''}`);
}

/** Reuses the last port, so that other programs can keep their connection settings. */
async function readLastPort(home: ServiceHome): Promise<number | undefined> {
  const text = await readFile(join(home.path, 'port'), 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function serverArguments(port: number, settings: Readonly<Record<string, string>>): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '512MB', // memory is allocated only as data fills it
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** postmaster.pid contains the process ID in line 1 and the port in line 4. */
async function adopt(cluster: PostgresCluster, signal?: AbortSignal): Promise<RunningServer | undefined> {
  const lockFile = join(cluster.dataDirectory, 'postmaster.pid');
  const lines = (await readFile(lockFile, 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return undefined;
  if (!(await runsIn(cluster.dataDirectory, pid, /postgres/))) {
    // Another program now has this process ID, for example after a reboot.
    await rm(lockFile, { force: true });
    return undefined;
  }
  if (await becomesReady(pid, () => ensureDatabase(port, cluster), signal)) return runningServer(pid, port, cluster);
  signal?.throwIfAborted();
  if (isRunning(pid))
    throw new EmbeddedServiceError(`PostgreSQL (process ${pid}) uses ${cluster.dataDirectory} but does not respond`);
  return undefined;
}

/** Connects with our password, which no other server accepts, and creates our database if it is missing. */
async function ensureDatabase(port: number, { password }: PostgresCluster): Promise<boolean> {
  const client = new Client({ connectionString: urlOf(port, password, 'postgres'), connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // the next query notices a lost server
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [POSTGRES_USER]);
    if (rowCount === 0) await client.query(`create database ${POSTGRES_USER}`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function runningServer(pid: number, port: number, { password }: PostgresCluster): RunningServer {
  return {
    url: urlOf(port, password, POSTGRES_USER),
    port,
    pid,
    stop: () => stopProcess(pid, STOP_TIMEOUT_MS, STOP_SIGNALS),
  };
}

function urlOf(port: number, password: string, database: string): string {
  return `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${database}`;
}
