import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { portChoice, START_ATTEMPTS } from './free-port.js';
import { rawRedisCommand } from './raw-redis-command.js';
import type { RunningServer } from './running-server.js';
import { becomesReady, isRunning, lastErrorLine, runsIn, spawnServer, stopProcess } from './server-process.js';
import { writeInto, type ServiceHome } from './service-directory.js';
import { readStateFile } from './state-file.js';

const STOP_TIMEOUT_MS = 3_000;
const PID_FILE = 'redis.pid';

export interface RedisOptions {
  readonly executable: string;
  readonly home: ServiceHome;
  readonly logFile: string;
  /** Additional server settings, as in redis.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Ends the wait for a server that is not ready yet. */
  readonly signal?: AbortSignal | undefined;
  /** Uses no other port than the start before, because clients reconnect to it. */
  readonly keepsPort?: boolean;
}

/** Locates a running server at a later start. Stored in the data folder as endpoint.json. */
interface Endpoint {
  readonly port: number;
  readonly password: string;
}

/**
 * Starts Redis on a free loopback port with append-only persistence and without eviction (jobs must never be dropped).
 * Adopts a server that an earlier process left running.
 * @throws EmbeddedServiceError with the last line of the server's log if it does not start, or if an earlier server of
 *   this folder runs without a response
 * @throws the signal's reason if it aborts first; a server that this call has started is stopped
 */
export async function startRedis(options: RedisOptions): Promise<RunningServer> {
  const { executable, home, logFile, settings = {}, signal, keepsPort = false } = options;
  const last = await readStateFile<Endpoint>(join(home.path, 'endpoint.json'));
  const running = last && (await adopt(last, signal));
  if (running) return running;
  await refuseUnresponsive(home);

  const password = last?.password ?? randomBytes(24).toString('base64url');
  const choosePort = portChoice(last?.port, keepsPort);
  for (let attempt = 1; ; attempt++) {
    const endpoint = { port: await choosePort(attempt), password };
    await writeInto(home, 'endpoint.json', JSON.stringify(endpoint));
    await writeInto(home, 'redis.conf', configuration(endpoint, settings));
    const pid = await spawnServer({
      executable,
      arguments: ['redis.conf'],
      directory: home.path,
      logFile,
      account: home.account,
    });
    await becomesReady(pid, () => isReady(endpoint), signal);
    if (isRunning(pid) && (await processIdOf(endpoint)) === pid) return runningServer(pid, endpoint);
    await stopProcess(pid, STOP_TIMEOUT_MS); // two servers would append to the same files
    signal?.throwIfAborted();
    if (attempt === START_ATTEMPTS)
      throw new EmbeddedServiceError(`Redis did not start: ${await lastErrorLine(logFile)}`);
  }
}

/** Only our server knows the password. It responds with LOADING while it reads its files. */
async function adopt(endpoint: Endpoint, signal?: AbortSignal): Promise<RunningServer | undefined> {
  const pid = await processIdOf(endpoint);
  if (pid === undefined) return undefined;
  await becomesReady(pid, () => isReady(endpoint), signal);
  return isRunning(pid) ? runningServer(pid, endpoint) : undefined;
}

/** Redis locks no files, and two servers that append to the same ones destroy them. */
async function refuseUnresponsive({ path }: ServiceHome): Promise<void> {
  const pid = Number(await readFile(join(path, PID_FILE), 'utf8').catch(() => ''));
  if (!Number.isInteger(pid) || pid <= 0 || !(await runsIn(path, pid, /(redis|valkey)-server/))) return;
  throw new EmbeddedServiceError(`Redis (process ${pid}) uses ${path} but does not respond: try again, or end it`);
}

async function isReady(endpoint: Endpoint): Promise<boolean> {
  return (await rawRedisCommand(endpoint, 'PING')) === '+PONG';
}

async function processIdOf(endpoint: Endpoint): Promise<number | undefined> {
  const information = await rawRedisCommand(endpoint, 'INFO server');
  const pid = /^process_id:(\d+)/m.exec(information ?? '')?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** The data folder is the working directory, so that the file contains no paths that would need quoting. */
function configuration(endpoint: Endpoint, settings: Readonly<Record<string, string>>): string {
  const all = {
    bind: '127.0.0.1',
    port: String(endpoint.port),
    requirepass: endpoint.password,
    'protected-mode': 'yes',
    daemonize: 'no',
    dir: './',
    pidfile: PID_FILE,
    appendonly: 'yes',
    // Redis then writes to the file before it responds, and a killed process loses nothing. With `everysec`, while a
    // sync takes long, it responds to writes that are in its own memory alone: up to two seconds of events were lost.
    appendfsync: 'no',
    'maxmemory-policy': 'noeviction',
    save: '""',
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}

function runningServer(pid: number, { port, password }: Endpoint): RunningServer {
  return {
    url: `redis://:${password}@127.0.0.1:${port}/0`,
    port,
    pid,
    stop: () => stopProcess(pid, STOP_TIMEOUT_MS),
  };
}
