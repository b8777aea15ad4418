import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { backoffMs } from '../clock/backoff.js';
import { sleep } from '../clock/sleep.js';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { QUEUE_PREFIX } from './jobs.js';

/** Work that workers find in Postgres, and recurring jobs, which they find in Redis. */
export type Work = 'emails' | 'broadcasts' | 'erasures' | 'recurring';

/** A sorted set, so that a notification that nobody has read yet is not there twice. */
export const WORK_KEY = `${QUEUE_PREFIX}:work`;
const WAIT_SECONDS = 10;
/** A wait without a response by then is stuck on a dead connection. */
const WAIT_TIMEOUT_MS = 15_000;
const MAX_BACKOFF_MS = 1_000;

/** Of one kind of work and process, so that a thousand emails a second cost ten notifications. */
const INTERVAL_MS = 100;
/** How long idle workers wait for a notification before they query. A lost one delays its work by this much. */
const LONGEST_IDLE_MS = 5_000;

/**
 * Tells a worker that there is work, so that idle workers need not query often. A notification only saves time: without
 * it, the next query of any worker finds the same work.
 */
@Injectable()
export class WorkNotifier {
  private readonly notifiedAt = new Map<Work, number>();
  private readonly waiting = new Set<Work>();

  constructor(@Inject(REDIS) private readonly redis: Pick<RedisConnection, 'zadd'>) {}

  /** Call this after the commit. Never throws. */
  notify(work: Work): void {
    if (this.waiting.has(work)) return;
    const waitMs = (this.notifiedAt.get(work) ?? -Infinity) + INTERVAL_MS - performance.now();
    if (waitMs <= 0) return this.send(work);
    this.waiting.add(work);
    setTimeout(() => this.send(work), waitMs).unref();
  }

  private send(work: Work): void {
    this.waiting.delete(work);
    this.notifiedAt.set(work, performance.now());
    this.redis.zadd(WORK_KEY, 0, work).catch(() => undefined);
  }
}

/** The worker's side. Each notification wakes one worker, on a connection of its own that blocks. */
@Injectable()
export class WorkListener implements OnApplicationShutdown {
  private readonly handlers = new Map<string, () => void>();
  private readonly redis: RedisConnection;
  private readonly stopping = new AbortController();
  private failures = 0;
  private listening = false;

  constructor(@Inject(REDIS) redis: RedisConnection) {
    this.redis = redis.duplicate({ commandTimeout: WAIT_TIMEOUT_MS, lazyConnect: true });
    this.redis.on('error', () => undefined);
  }

  /** How long an idle worker may wait. @param unnotifiedMs while notifications cannot arrive */
  idleMs(unnotifiedMs: number): number {
    return this.listening ? LONGEST_IDLE_MS : unnotifiedMs;
  }

  /** @param handler called for each notification, and whenever the listener begins to receive them */
  on(work: Work, handler: () => void): void {
    this.handlers.set(work, handler);
  }

  start(): void {
    void this.run();
  }

  /**
   * The first loop that stops calls this: a notification that this process took could no longer wake another one. Loops
   * that still run query often until they stop.
   */
  stop(): void {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort();
    this.listening = false;
    this.redis.disconnect();
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  private async run(): Promise<void> {
    await this.redis.connect().catch(() => undefined);
    while (!this.stopping.signal.aborted) {
      try {
        await this.next();
        this.failures = 0;
      } catch {
        this.listening = false;
        // Reconnect, so that a server that hangs or was demoted drops the wait.
        if (this.redis.status === 'ready' && !this.stopping.signal.aborted) this.redis.disconnect(true);
        await sleep(backoffMs(++this.failures, MAX_BACKOFF_MS), this.stopping.signal);
      }
    }
  }

  private async next(): Promise<void> {
    const arrived = this.redis.bzpopmin(WORK_KEY, WAIT_SECONDS);
    if (!this.listening && this.redis.status === 'ready') {
      this.listening = true;
      // What was committed while nobody listened.
      for (const handle of this.handlers.values()) handle();
    }
    const [, work] = (await arrived) ?? [];
    if (work !== undefined) this.handlers.get(work)?.();
  }
}
