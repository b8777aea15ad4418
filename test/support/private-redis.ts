import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/free-port.js';
import { findRedisBinary } from '../../src/embedded/redis-binary.js';
import { endChild } from './end-child.js';
import { eventually } from './eventually.js';
import { cleanUpIfKilled, REDIS_PID_FILE } from './clean-up-if-killed.js';
import { makeThrowAwayDirectory } from './throw-away-directory.js';

/** A Redis for one test that stops, freezes and kills it. Its data survives `kill` and `start`. */
export class PrivateRedis {
  private child: ChildProcess | undefined;
  private watcher: { dismiss(): void } | undefined;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly options: readonly string[],
  ) {}

  /** @param options of redis-server, in addition to those that isolate it and store its data on disk */
  static async start(...options: string[]): Promise<PrivateRedis> {
    const redis = new PrivateRedis(await makeThrowAwayDirectory('mailbeacon-redis-'), await freePort(), options);
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const home = join(this.directory, 'redis');
    await mkdir(home, { recursive: true });
    const network = ['--port', String(this.port), '--bind', '127.0.0.1'];
    // The page cache survives a killed process. A busy disk takes seconds for an fsync, and Redis responds to nobody
    // meanwhile.
    const storage = ['--dir', home, '--appendonly', 'yes', '--appendfsync', 'no'];
    this.child = spawn(findRedisBinary()!, [...network, ...storage, ...this.options], { stdio: 'ignore' });
    await writeFile(join(home, REDIS_PID_FILE), String(this.child.pid));
    this.watcher ??= cleanUpIfKilled(this.directory);
    // A server that requires a password responds with an error, one that still loads its data does not respond.
    await eventually(() =>
      this.command('PING').then(
        () => true,
        (error: Error) => error.message.startsWith('NOAUTH'),
      ),
    );
  }

  /** Waits for the response of the server. */
  async command(name: string, ...parameters: string[]): Promise<unknown> {
    const redis = new Redis(this.url, {
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
      enableReadyCheck: false,
    });
    redis.on('error', () => undefined);
    try {
      return await redis.call(name, ...parameters);
    } finally {
      redis.disconnect();
    }
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child) await endChild(child, 'SIGKILL');
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  get dataDirectory(): string {
    return this.paths.data;
  }

  /** Copies the data that is on disk now. */
  async saveState(): Promise<void> {
    const { data, copy } = this.paths;
    await rm(copy, { recursive: true, force: true });
    await cp(data, copy, { recursive: true });
  }

  /** Replaces its data with the copy. Redis must be killed first. */
  async restoreState(): Promise<void> {
    const { data, copy } = this.paths;
    await rm(data, { recursive: true, force: true });
    await cp(copy, data, { recursive: true });
  }

  private get paths(): { data: string; copy: string } {
    return { data: join(this.directory, 'redis'), copy: join(this.directory, 'copy') };
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    this.watcher?.dismiss();
    await rm(this.directory, { recursive: true, force: true });
  }
}
