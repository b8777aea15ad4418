import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { freePort } from './free-port.js';
import { becomesTrue, isRunning, lastWordsIn, programOf, spawnServer, stopProcess } from './server-process.js';

/** The ports people know for a development inbox. */
const USUAL_SMTP_PORT = 1025;
const USUAL_WEB_PORT = 1080;
const START_DEADLINE_MS = 30_000;
const START_ATTEMPTS = 3;
/** Short, because open browser pages hold connections and the mails are on disk anyway. */
const STOP_PATIENCE_MS = 1_000;
const KEPT_MAILS = 1_000;

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
 * Starts the development inbox, which keeps its mails in `directory`: an SMTP server that delivers nothing and a web page that shows what it took,
 * both on loopback, in a process of its own. One that an earlier process of ours left running is taken over.
 * @throws EmbeddedServiceError with its own last words when it does not start.
 */
export async function startInbox(directory: string, logFile: string): Promise<RunningInbox> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const running = await takeOver(directory);
  if (running) return running;
  for (let attempt = 1; ; attempt++) {
    const smtpPort = await freePort(USUAL_SMTP_PORT);
    const webPort = await freePort(USUAL_WEB_PORT);
    const pid = await spawnServer({
      executable: process.execPath,
      arguments: [maildevProgram(), ...maildevOptions(smtpPort, webPort, directory)],
      directory: '/', // it would read settings from files in its working directory and above
      logFile,
    });
    const endpoint = { pid, smtpPort, webPort };
    await becomesTrue(async () => (await answers(endpoint)) || !isRunning(pid), START_DEADLINE_MS);
    if (isRunning(pid)) {
      await writeFile(join(directory, 'endpoint.json'), JSON.stringify(endpoint), { mode: 0o600 });
      return runningInbox(endpoint);
    }
    // Another program may have taken a port in between: a few more tries.
    if (attempt === START_ATTEMPTS)
      throw new EmbeddedServiceError(`The inbox did not start: ${await lastWordsIn(logFile)}`);
  }
}

/** Found by its place, since the package exports no path to its program. */
function maildevProgram(): string {
  const folders = createRequire(import.meta.url).resolve.paths('maildev') ?? [];
  const program = folders.map((folder) => join(folder, 'maildev', 'dist', 'bin', 'maildev.js')).find(existsSync);
  if (program === undefined) throw new EmbeddedServiceError('The inbox is not installed: run npm ci');
  return program;
}

function maildevOptions(smtpPort: number, webPort: number, directory: string): string[] {
  return Object.entries({
    '--ip': '127.0.0.1',
    '--smtp': smtpPort,
    '--web-ip': '127.0.0.1',
    '--web': webPort,
    '--mail-directory': mailDirectory(directory),
    '--max-emails': KEPT_MAILS,
  }).flatMap(([name, value]) => [name, String(value)]);
}

const mailDirectory = (directory: string): string => join(directory, 'mails');

async function takeOver(directory: string): Promise<RunningInbox | undefined> {
  const text = await readFile(join(directory, 'endpoint.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const endpoint = JSON.parse(text) as Endpoint;
  // By the folder in its command line it is known to be ours and not a later process with the same number.
  const ours = isRunning(endpoint.pid) && (await programOf(endpoint.pid)).includes(mailDirectory(directory));
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
