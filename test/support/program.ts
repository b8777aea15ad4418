import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

/** A built program of ours as a process of its own, with nothing in its environment but what it is given. */
export class Program {
  output = '';
  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (this.output += String(chunk)));
  }

  /** @param file below dist/ */
  static start(file: string, environment: Record<string, string>, ...parameters: string[]): Program {
    const { PATH = '' } = process.env;
    return new Program(
      spawn(process.execPath, [`dist/${file}`, ...parameters], {
        env: { PATH, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  /** Resolves with the exit code. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
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

export async function freeTestPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits until the process at the address says that it is ready. */
export function isReady(address: string): Promise<unknown> {
  return eventually(async () => {
    const answer = await fetch(`${address}/health/ready`).catch(() => undefined);
    return answer?.ok === true;
  }, 60_000);
}
