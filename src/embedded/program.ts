import { spawn } from 'node:child_process';
import type { Account } from './unix-account.js';
import { serverEnvironment } from './server-process.js';

export interface ProgramOptions {
  readonly directory?: string;
  /** Variables beside those that every server gets. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly account?: Account | undefined;
  readonly timeoutMs: number;
  /** Ends the program and everything that it started. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program to its end, in a process group of its own, and returns what it printed.
 * @throws Error with the last line of its standard error when it fails
 * @throws the signal's reason when that aborts it
 */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  options: ProgramOptions,
): Promise<string> {
  const { directory, environment, account, timeoutMs, signal } = options;
  signal.throwIfAborted();
  const child = spawn(program, parameters, {
    cwd: directory,
    env: { ...serverEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...account,
  });
  const endGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(endGroup, timeoutMs);
  signal.addEventListener('abort', endGroup);
  const printed = { output: '', errors: '' };
  child.stdout.on('data', (chunk) => (printed.output += String(chunk)));
  child.stderr.on('data', (chunk) => (printed.errors += String(chunk)));
  try {
    const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
    signal.throwIfAborted();
    if (code !== 0) throw new Error(lastLine(printed.errors) ?? `${program} failed`);
    return printed.output;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', endGroup);
  }
}

function lastLine(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.trim().split('\n').at(-1);
}
