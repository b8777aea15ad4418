import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endWithRun } from './clean-up-if-killed.js';
import { endChild } from './end-child.js';
import { eventually } from './eventually.js';

/** The same options as the processes of the test run: see scripts/late-optimizing.mjs. */
const LATE_OPTIMIZING = process.execArgv.filter((option) => option.startsWith('--interrupt-budget='));

/**
 * How long a program may take to be ready: on a busy machine any time. It is just shorter than the time after which
 * Jest ends a test that hangs, because these errors show the output of the program.
 */
const READY_WITHIN_MS = 240_000;

/** A built program of the product in a process of its own, with only the given environment. */
export class Program {
  output = '';
  private constructor(private readonly child: ChildProcess) {
    endWithRun(child);
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (this.output += String(chunk)));
  }

  /** @param file path below dist/ */
  static start(file: string, environment: Record<string, string>, ...parameters: string[]): Program {
    return Program.startIn('.', file, environment, ...parameters);
  }

  /** @param directory the project, or a folder assembled from it */
  static startIn(
    directory: string,
    file: string,
    environment: Record<string, string>,
    ...parameters: string[]
  ): Program {
    const { PATH = '' } = process.env;
    return new Program(
      spawn(process.execPath, [...LATE_OPTIMIZING, `dist/${file}`, ...parameters], {
        cwd: directory,
        env: { PATH, ...environment },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );
  }

  /** Writes all of its standard input and closes it. */
  write(text: string): void {
    this.child.stdin!.end(text);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Waits until its output contains the text. */
  async prints(text: string): Promise<void> {
    const hasPrinted = (): boolean => {
      if (this.output.includes(text)) return true;
      if (this.hasEnded) throw new Error('The program has ended');
      return false;
    };
    await eventually(hasPrinted, READY_WITHIN_MS).catch((error: unknown) => {
      throw new Error(`Has not printed "${text}": ${this.output.slice(-2_000)}`, { cause: error });
    });
  }

  /** Resolves with the exit code. */
  async ended(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Ends the process if it still runs. */
  async end(): Promise<void> {
    await endChild(this.child, 'SIGKILL');
  }
}

/** Runs a CLI command to its end. */
export async function runCli(environment: Record<string, string>, ...parameters: string[]) {
  const program = Program.start('cli/main.js', environment, ...parameters);
  const code = await program.ended();
  return { code, output: program.output };
}

/**
 * Waits until the process at the address reports that it is ready.
 * @param program the process expected there: once it has ended, another process may respond
 */
export async function becomesReady(address: string, program?: Program): Promise<void> {
  let last = 'no response';
  const isUp = async (): Promise<boolean> => {
    if (program?.hasEnded) throw new Error('The program has ended');
    const response = await fetch(`${address}/health/ready`).catch(() => undefined);
    if (response?.ok) return true;
    last = (await response?.text().catch(() => undefined)) ?? 'no response';
    return false;
  };
  await eventually(isUp, READY_WITHIN_MS).catch((error: unknown) => {
    const output = program?.output.slice(-2_000) ?? '';
    throw new Error(`Not ready (${last}): ${output}`, { cause: error });
  });
}
