import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { freePort } from './free-port.js';
import { waitUntil, isRunning, lastErrorLine, programOf, spawnServer, stopProcess } from './server-process.js';

/** The ports people know for a development inbox. */
const USUAL_SMTP_PORT = 1025;
const USUAL_WEB_PORT = 1080;
const START_DEADLINE_MS = 30_000;
const START_ATTEMPTS = 3;
/** Short, because open browser pages hold connections and the mails are on disk anyway. */
const STOP_PATIENCE_MS = 1_000;
/** Plain JavaScript outside of the sources: it starts without a build of its own. */
const PROGRAM = resolve(import.meta.dirname, '..', '..', 'scripts', 'inbox.mjs');

export interface RunningInbox {
  readonly smtpUrl: string;
  readonly webUrl: string;
  readonly pid: number;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

interface Endpoint {
  readonly pid: number;
  readonly smtpPort: number;
  readonly webPort: number;
}

/**
 * Starts the development inbox: an SMTP server that delivers nothing and a web page that shows what it took, both on
 * loopback, in a process of its own, with the mails kept in `directory`. One that an earlier process of ours left
 * running is taken over.
 * @throws EmbeddedServiceError with its own last words when it does not start.
 */
export async function startInbox(directory: string, logFile: string): Promise<RunningInbox> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const running = await adopt(directory);
  if (running) return running;
  for (let attempt = 1; ; attempt++) {
    const smtpPort = await freePort(USUAL_SMTP_PORT);
    const webPort = await freePort(USUAL_WEB_PORT);
    const pid = await spawnServer({
      executable: process.execPath,
      arguments: [PROGRAM, String(smtpPort), String(webPort), directory],
      directory,
      logFile,
    });
    const endpoint = { pid, smtpPort, webPort };
    await waitUntil(async () => (await answers(endpoint)) || !isRunning(pid), START_DEADLINE_MS);
    if (await answers(endpoint)) {
      await writeFile(join(directory, 'endpoint.json'), JSON.stringify(endpoint), { mode: 0o600 });
      return runningInbox(endpoint);
    }
    // Another program may have taken a port in between: a few more tries.
    if (attempt === START_ATTEMPTS) {
      throw new EmbeddedServiceError(`The inbox did not start: ${await lastErrorLine(logFile)}`);
    }
  }
}

async function adopt(directory: string): Promise<RunningInbox | undefined> {
  const text = await readFile(join(directory, 'endpoint.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const endpoint = JSON.parse(text) as Endpoint;
  // By the folder in its command line it is known to be ours and not a later process with the same number.
  const ours = isRunning(endpoint.pid) && (await programOf(endpoint.pid)).includes(directory);
  return ours && (await answers(endpoint)) ? runningInbox(endpoint) : undefined;
}

async function answers({ webPort }: Endpoint): Promise<boolean> {
  return fetch(`http://127.0.0.1:${webPort}/api/config`, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.ok,
    () => false,
  );
}

function runningInbox({ pid, smtpPort, webPort }: Endpoint): RunningInbox {
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    webUrl: `http://127.0.0.1:${webPort}`,
    pid,
    stop: () => stopProcess(pid, ['SIGTERM', 'SIGKILL'], STOP_PATIENCE_MS),
  };
}
