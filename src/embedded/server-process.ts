import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedServiceError } from './embedded-service-error.js';
import type { Account } from './unix-account.js';

const POLL_INTERVAL_MS = 20;

export interface ServerCommand {
  readonly executable: string;
  readonly arguments: readonly string[];
  /** Working directory of the server. */
  readonly directory: string;
  /** Receives what the server prints; new at each start. */
  readonly logFile: string;
  /** Account to run under instead of our own. */
  readonly account?: Account | undefined;
}

/**
 * Starts a server in a process group of its own, so that Ctrl-C reaches only us and the server outlives
 * requests that are still being finished. Returns its process id.
 * @throws EmbeddedServiceError when the executable cannot be started.
 */
export async function spawnServer(command: ServerCommand): Promise<number> {
  await rm(command.logFile, { force: true }); // another user's, perhaps, who started this once
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

/** Only what a server needs: variables like PGDATA of the caller's shell must not reach it. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Whether a process runs. One that ended but was never collected by its parent does not count. */
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
    // proc(5): the state follows the name, which stands in parentheses and may itself contain any character.
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').slice(0, 3));
  } catch {
    return false;
  }
}

/** The command line of a process as ps(1) shows it, empty when there is none. */
export async function programOf(pid: number): Promise<string> {
  const file = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (file !== undefined) return file.replaceAll('\0', ' ');
  return processStatus(pid, 'command=');
}

/** When a process started, in whatever unit the system has: with its id, it names one process for good. */
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
 * Sends each signal in turn, giving the process `patienceMs` to end before the next one.
 * Resolves when the process is gone, also when it was gone before.
 */
export async function stopProcess(pid: number, signals: readonly NodeJS.Signals[], patienceMs: number): Promise<void> {
  for (const signal of signals) {
    if (!isRunning(pid)) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    if (await waitUntil(() => !isRunning(pid), patienceMs)) return;
  }
  throw new EmbeddedServiceError(`Process ${pid} does not end`);
}

/** Asks again and again until the answer is true (then true) or the time is up (then false). */
export async function waitUntil(question: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (await question()) return true;
    await delay(POLL_INTERVAL_MS);
  }
  return question();
}

/** Why a server did not start, in its own words: the last line that names an error, else the last one. */
export async function lastErrorLine(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.filter((line) => /fatal|panic|error/i.test(line)).at(-1);
  return (complaint ?? lines.at(-1))?.trim() ?? 'it printed nothing';
}
