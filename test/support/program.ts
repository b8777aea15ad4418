import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { reservedPort } from '../faults/plant/reserved-port.js';
import { eventually } from './eventually.js';

/** As the processes of the test run itself: see scripts/late-optimizing.mjs. */
const LATE_OPTIMIZING = process.execArgv.filter((option) => option.startsWith('--interrupt-budget='));

/** A built program of ours as a process of its own, with nothing in its environment but what it is given. */
export class Program {
  output = '';
  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (this.output += String(chunk)));
  }

  /** @param file below dist/ */
  static start(file: string, environment: Record<string, string>, ...parameters: string[]): Program {
    return Program.startIn('.', file, environment, ...parameters);
  }

  /** @param directory the project, or what was assembled from it */
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

  /** Gives the program all of its standard input. */
  write(text: string): void {
    this.child.stdin!.end(text);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Resolves with the exit code. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
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
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended();
  }
}

/** Runs a command of the command line to its end. */
export async function runCli(environment: Record<string, string>, ...parameters: string[]) {
  const program = Program.start('cli/main.js', environment, ...parameters);
  const code = await program.ended();
  return { code, output: program.output };
}

/**
 * A port for a program that binds it later: not one of those that systems give to whoever asks for any, which another
 * test's server or connection may have by then.
 */
export const freeTestPort = reservedPort;

/**
 * Waits until the process at the address says that it is ready.
 * @param program which is to be that process: what answers when it has ended is another one
 */
export function isReady(address: string, program?: Program): Promise<unknown> {
  return eventually(async () => {
    if (program?.hasEnded) throw new Error(`The program has ended: ${program.output.slice(-2_000)}`);
    const answer = await fetch(`${address}/health/ready`).catch(() => undefined);
    return answer?.ok === true;
  }, 60_000);
}
