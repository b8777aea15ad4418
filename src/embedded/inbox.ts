import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { freePort, START_ATTEMPTS } from './free-port.js';
import { becomesReady, isRunning, lastErrorLine, programOf, spawnServer, stopProcess } from './server-process.js';
import { readStateFile } from './state-file.js';

/** Conventional ports of development inboxes. */
const DEFAULT_SMTP_PORT = 1025;
const DEFAULT_WEB_PORT = 1080;
/** Short, because open browser pages hold connections and the mail is already on disk. */
const STOP_TIMEOUT_MS = 1_000;
/** The output of the build for scripts/inbox.mjs. */
const PROGRAM = resolve(import.meta.dirname, '..', '..', 'dist', 'inbox', 'main.js');

export interface RunningInbox {
  readonly smtpUrl: string;
  readonly webUrl: string;
  readonly pid: number;
  /** Makes the inbox return bounces of its mail to this port of this machine. */
  returnBouncesTo(port: number): Promise<void>;
  /** Resolves when the process has exited. */
  stop(): Promise<void>;
}

interface InboxOptions {
  /** Uses no other ports than the start before, because clients reconnect to them. */
  readonly keepsPorts?: boolean;
  /** Ends the wait for an inbox that is not ready yet. */
  readonly signal?: AbortSignal | undefined;
}

interface Endpoint {
  readonly pid: number;
  readonly smtpPort: number;
  readonly webPort: number;
}

/**
 * Starts the development inbox in a separate process: an SMTP server that delivers nothing, and a web page that shows
 * the received mail. It responds to mail to some addresses as their mail servers would (scripts/mailbox-simulator.mjs).
 * Both listen on loopback and store the mail in `directory`. Adopts an inbox that an earlier process left running.
 * @throws EmbeddedServiceError with the last line of its log if it does not start
 * @throws the signal's reason if it aborts first; an inbox that this call has started is stopped
 */
export async function startInbox(
  directory: string,
  logFile: string,
  { keepsPorts = false, signal }: InboxOptions = {},
): Promise<RunningInbox> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const running = await adopt(directory);
  if (running) return running;
  const last = keepsPorts ? await endpointIn(directory) : undefined;
  for (let attempt = 1; ; attempt++) {
    const smtpPort = last?.smtpPort ?? (await freePort(DEFAULT_SMTP_PORT));
    const webPort = last?.webPort ?? (await freePort(DEFAULT_WEB_PORT));
    const pid = await spawnServer({
      executable: process.execPath,
      arguments: [PROGRAM, String(smtpPort), String(webPort), directory],
      directory,
      logFile,
    });
    await becomesReady(pid, async () => (await endpointIn(directory))?.pid === pid, signal);
    const endpoint = await endpointIn(directory);
    if (endpoint?.pid === pid && isRunning(pid)) return runningInbox(endpoint, directory);
    await stopProcess(pid, STOP_TIMEOUT_MS);
    signal?.throwIfAborted();
    if (attempt === START_ATTEMPTS) {
      throw new EmbeddedServiceError(`The inbox did not start: ${await lastErrorLine(logFile)}`);
    }
  }
}

async function adopt(directory: string): Promise<RunningInbox | undefined> {
  const endpoint = await endpointIn(directory);
  if (!endpoint) return undefined;
  // The folder in its command line proves that it is ours and not another process that reuses the ID.
  const ours = isRunning(endpoint.pid) && (await programOf(endpoint.pid)).includes(directory);
  if (!ours) return undefined;
  if (await isReachable(endpoint)) return runningInbox(endpoint, directory);
  // The next inbox replaces its endpoint, so nothing would find this process again.
  await stopProcess(endpoint.pid, STOP_TIMEOUT_MS);
  return undefined;
}

/**
 * The inbox writes this file itself once it listens on both ports. A response on the port would prove nothing: two
 * inboxes that start together may choose the same ports, and the response may come from the other one.
 */
function endpointIn(directory: string): Promise<Endpoint | undefined> {
  return readStateFile(join(directory, 'endpoint.json'));
}

async function isReachable({ webPort }: Endpoint): Promise<boolean> {
  return fetch(`http://127.0.0.1:${webPort}/api/config`, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.ok,
    () => false,
  );
}

function runningInbox({ pid, smtpPort, webPort }: Endpoint, directory: string): RunningInbox {
  const portFile = join(directory, 'bounce-port'); // a file, because an adopted inbox outlives the port of its start
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    webUrl: `http://127.0.0.1:${webPort}`,
    pid,
    returnBouncesTo: (port) => writeFile(portFile, String(port)),
    stop: async () => {
      await rm(portFile, { force: true });
      await stopProcess(pid, STOP_TIMEOUT_MS);
    },
  };
}
