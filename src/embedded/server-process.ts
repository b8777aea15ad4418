import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, readFile, readlink, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedServiceError } from './embedded-service-error.js';
import type { Account } from './unix-account.js';

const POLL_INTERVAL_MS = 20;
/** Time until a server is ready, which reads its files first. */
const START_DEADLINE_MS = 60_000;

export interface ServerCommand {
  readonly executable: string;
  readonly arguments: readonly string[];
  /** Working directory of the server. */
  readonly directory: string;
  /** Receives the server's output. Replaced at each start. */
  readonly logFile: string;
  /** Account to run under instead of the current one. */
  readonly account?: Account | undefined;
}

/**
 * Starts a server in a separate process group, so that Ctrl-C does not reach it and it keeps running while requests
 * finish. Returns its process ID.
 * @throws the error of the system if the executable cannot be started
 */
export async function spawnServer(command: ServerCommand): Promise<number> {
  await rm(command.logFile, { force: true }); // it may belong to another user who has started the server before
  const log = await open(command.logFile, 'w', 0o600);
  try {
    const child = spawn(command.executable, command.arguments, {
      cwd: command.directory,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: serverEnvironment(),
      ...command.account,
    });
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return child.pid as number;
  } finally {
    await log.close();
  }
}

/** Contains only what a server needs. Variables of the caller's shell, such as PGDATA, must not reach it. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Whether a process runs. A zombie does not count. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    // proc(5): the state follows the name, which is in parentheses and may contain any character.
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').slice(0, 3));
  } catch {
    return false;
  }
}

/** Returns the command line of a process like ps(1), or an empty string if the process does not exist. */
export async function programOf(pid: number): Promise<string> {
  const file = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (file !== undefined) return file.replaceAll('\0', ' ');
  return processStatus(pid, 'command=');
}

/**
 * Whether a process that runs `program` has its working directory in `directory`: process IDs are reused, so a recorded
 * one can be that of the same program elsewhere. Where the system does not show the directory, the program decides.
 */
export async function runsIn(directory: string, pid: number, program: RegExp): Promise<boolean> {
  if (!isRunning(pid) || !program.test(await programOf(pid))) return false;
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return workingDirectory === undefined || workingDirectory === directory;
}

/** Returns the start time of a process in a system-specific unit. Together with the ID it identifies the process. */
export async function startOf(pid: number): Promise<string> {
  const file = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // proc(5): field 22, counted from the state, which follows the last parenthesis as field 3.
  if (file !== undefined) return file.replace(/^.*\) /s, '').split(' ')[19] ?? '';
  return processStatus(pid, 'lstart=');
}

async function processStatus(pid: number, column: string): Promise<string> {
  return promisify(execFile)('ps', ['-o', column, '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}

/**
 * Sends each signal in turn and waits up to `timeoutMs` for the process to exit before the next one.
 * Resolves when the process has exited, even if it did so before the call.
 */
export async function stopProcess(
  pid: number,
  timeoutMs: number,
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGKILL'],
): Promise<void> {
  for (const signal of signals) {
    if (!isRunning(pid)) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    if (await waitUntil(() => !isRunning(pid), timeoutMs)) return;
  }
  throw new EmbeddedServiceError(`Process ${pid} does not exit`);
}

/**
 * Waits until the server is ready, the process has ended, the signal aborts, or the time is up.
 * @returns whether it is ready
 */
export async function becomesReady(
  pid: number,
  isReady: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<boolean> {
  let ready = false;
  await waitUntil(async () => {
    ready = await isReady();
    return ready || !isRunning(pid) || signal?.aborted === true;
  }, START_DEADLINE_MS);
  return ready;
}

/** Polls the condition. Returns true once it holds, or false when the time is up. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (await condition()) return true;
    await delay(POLL_INTERVAL_MS);
  }
  return condition();
}

/** Returns the last log line with an error, or otherwise the last line, to explain why a server did not start. */
export async function lastErrorLine(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n').filter((line) => line.trim() !== '');
  const error = lines.filter((line) => /fatal|panic|error/i.test(line)).at(-1);
  return (error ?? lines.at(-1))?.trim() ?? 'it printed nothing';
}
