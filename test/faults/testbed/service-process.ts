import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role } from '../../../src/platform/config/settings.js';
import { eventually } from '../../support/eventually.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import type { ServiceLog } from './service-log.js';

/** The dependencies of a process, each behind its own proxy. */
export interface DependencyProxies {
  readonly redis: TcpProxy;
  readonly postgres: TcpProxy;
  readonly smtp: TcpProxy;
  readonly sendGrid: TcpProxy;
}

export interface ServiceOptions {
  readonly name: string;
  readonly role: Role;
  readonly port: number;
  readonly proxies: DependencyProxies;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: ServiceLog;
  /** Holds a file with its process ID while it runs, for the cleanup after a test run that died. */
  readonly pidDirectory: string;
  /** The command that starts a process; the build of these sources by default. */
  readonly program?: readonly string[];
  /** Called when the process was killed or frozen and cannot record what it did. */
  readonly onStopped?: () => Promise<void>;
}

const THIS_BUILD = [process.execPath, 'dist/roles/main.js'];

const START_TIMEOUT_MS = 90_000;
/** Like a supervisor: a process whose services do not respond exits during its start, and is started again. */
const STARTS = 10;

/** One process of the service that scenarios kill, freeze and restart. */
export class ServiceProcess {
  /** Exits that no scenario caused. */
  readonly unexpectedExits: string[] = [];
  peakMemoryMb = 0;
  private child: ChildProcess | undefined;
  private isExitExpected = false;
  private wasReady = false;

  constructor(private readonly options: ServiceOptions) {}

  get name(): string {
    return this.options.name;
  }

  get role(): Role {
    return this.options.role;
  }

  get proxies(): DependencyProxies {
    return this.options.proxies;
  }

  get log(): ServiceLog {
    return this.options.log;
  }

  get address(): string {
    return `http://127.0.0.1:${this.options.port}`;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  /**
   * Resolves when the process says that it is ready.
   * @param more settings that override its own @param program another build, or a program that wraps node
   */
  async start(more: Readonly<Record<string, string>> = {}, program: readonly string[] = []): Promise<void> {
    this.launch(more, program);
    await this.becomesReady();
  }

  /** Starts the process without waiting until it is ready. */
  launch(more: Readonly<Record<string, string>> = {}, program: readonly string[] = [], starts = STARTS): void {
    const { role, port, environment, log, pidDirectory } = this.options;
    const { PATH = '' } = process.env;
    const [command, ...parameters] = program.length > 0 ? program : (this.options.program ?? THIS_BUILD);
    const child = spawn(command!, parameters, {
      env: { PATH, ...environment, ROLES: role, PORT: String(port), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.isExitExpected = false;
    this.wasReady = false;
    this.child = child;
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => log.write(String(chunk)));
    const pidFile = join(pidDirectory, `${child.pid}.pid`);
    const noted = writeFile(pidFile, String(child.pid));
    child.once('exit', (code, signal) => {
      void noted.then(() => rm(pidFile, { force: true }));
      this.child = undefined;
      if (this.isExitExpected) return;
      if (!this.wasReady && starts > 1) this.launch(more, program, starts - 1);
      else this.unexpectedExits.push(`${this.name} exited by itself (${signal ?? code}): ${log.lastLine}`);
    });
  }

  async becomesReady(): Promise<void> {
    await eventually(async () => {
      if (!this.child) {
        // Another scenario stopped it on purpose and will restart it.
        if (this.isExitExpected) return true;
        throw new Error(`${this.name} did not start: ${this.log.end.slice(-2_000)}`);
      }
      const response = await fetch(`${this.address}/health/ready`).catch(() => undefined);
      return response?.ok === true;
    }, START_TIMEOUT_MS);
    this.wasReady = true;
  }

  /** kill -9. Resolves when the process has exited. */
  async kill(): Promise<void> {
    if (!this.child) return;
    await this.end('SIGKILL');
    await this.options.onStopped?.();
  }

  /** SIGTERM. Resolves with the exit code; null when it had to be killed after `timeoutMs`. */
  async terminate(timeoutMs = 60_000): Promise<number | null> {
    const { child } = this;
    let killed = false;
    const timer = setTimeout(() => {
      killed = true;
      child?.kill('SIGKILL');
    }, timeoutMs);
    const code = await this.end('SIGTERM');
    // Otherwise the timer would kill the next process.
    clearTimeout(timer);
    if (killed) await this.options.onStopped?.();
    return killed ? null : code;
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
    void this.options.onStopped?.();
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Records the peak memory, as the kernel counts it (VmHWM, proc(5)). */
  measure(): void {
    if (!this.child?.pid) return;
    try {
      const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
      const kilobytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
      this.peakMemoryMb = Math.max(this.peakMemoryMb, Math.round(kilobytes / 1024));
    } catch {
      // The process has just exited.
    }
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (!child) return null;
    this.measure();
    this.isExitExpected = true;
    const exited = once(child, 'exit');
    child.kill(signal);
    if (signal === 'SIGKILL') child.kill('SIGCONT');
    const [code] = (await exited) as [number | null];
    return code;
  }
}
