import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Host, Network } from './network.js';
import { endChild } from '../support/end-child.js';

const PORT = 3000;

/** A host that runs one role of a build. */
export class RoleHost {
  private child: ChildProcess | undefined;
  private readonly restless: NodeJS.Timeout[] = [];

  constructor(
    private readonly network: Network,
    readonly host: Host,
    readonly role: string,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly logDirectory: string,
  ) {}

  get url(): string {
    return `http://${this.host.address}:${PORT}`;
  }

  /** @param build folder that holds `dist` and can find `node_modules` */
  async start(build: string): Promise<void> {
    const log = createWriteStream(join(this.logDirectory, `${this.host.name}.log`), { flags: 'a' });
    this.child = this.network.start(this.host, process.execPath, ['dist/roles/main.js'], {
      cwd: build,
      env: {
        PATH: process.env.PATH,
        ...this.environment,
        ROLES: this.role,
        PORT: String(PORT),
        SPOOL_DIRECTORY: join(this.logDirectory, `${this.host.name}-spool`),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.pipe(log);
    this.child.stderr!.pipe(log);
    await this.becomesReady();
  }

  async isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(1_000) });
      return response.ok;
    } catch {
      return false;
    }
  }

  /** Signals the process to drain and exit; resolves with its exit code. */
  async stop(): Promise<number | null> {
    return endChild(this.child!, 'SIGTERM');
  }

  /** Limits the host to a fifth of the processor time, as busy neighbours would. */
  slowDown(): void {
    const { child } = this;
    const restart = setInterval(() => {
      child?.kill('SIGSTOP');
      setTimeout(() => child?.kill('SIGCONT'), 400);
    }, 500);
    this.restless.push(restart);
  }

  speedUp(): void {
    for (const timer of this.restless.splice(0)) clearInterval(timer);
    setTimeout(() => this.child?.kill('SIGCONT'), 500);
  }

  private async becomesReady(): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (!(await this.isReady())) {
      if (this.child!.exitCode !== null) throw new Error(`${this.host.name} ended with code ${this.child!.exitCode}`);
      if (Date.now() > deadline) throw new Error(`${this.host.name} did not become ready`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
