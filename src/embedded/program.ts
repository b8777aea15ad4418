import { spawn } from 'node:child_process';
import type { Account } from './unix-account.js';
import { serverEnvironment } from './server-process.js';

export interface ProgramOptions {
  readonly directory?: string;
  /** Variables in addition to those of every server. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly account?: Account | undefined;
  readonly timeoutMs: number;
  /** Kills the program and its child processes. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program to completion in a separate process group and returns its standard output.
 * @throws Error with the last line of its standard error if it fails
 * @throws the signal's reason if the signal aborts it
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
  const killGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(killGroup, timeoutMs);
  signal.addEventListener('abort', killGroup);
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
    signal.removeEventListener('abort', killGroup);
  }
}

function lastLine(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.trim().split('\n').at(-1);
}
