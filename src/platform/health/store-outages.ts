import { errorFields } from '../logging/error-fields.js';
import type { Logger } from '../logging/logger.js';
import { isRedisOutage, redisOutageReason } from '../redis/outage-errors.js';
import { refusalReason } from '../redis/refused-writes.js';

export type Store = 'Postgres' | 'Redis';

const REMIND_EVERY_MS = 60_000;
/** Without a failure for so long, a response ends the outage: some connections may fail after others work. */
export const SETTLED_AFTER_MS = 2_000;
/** Longest chain of causes that is searched. */
const MAX_CAUSES = 3;

interface Outage {
  readonly startedAt: number;
  loggedAt: number;
  failedAt: number;
  /** What the store itself has responded since the last line. It says more than the ends of its connections. */
  refusal: string | undefined;
}

/**
 * Logs each outage of a store once for the whole process: a line when it begins, one a minute while it lasts, and one
 * when it ends. Everything that fails because of it would otherwise log the same cause again and again.
 */
export class StoreOutages {
  private readonly ongoing = new Map<Store, Outage>();
  private readonly endedAt = new Map<Store, number>();
  private readonly explained = new WeakSet<object>();
  private logger: Logger | undefined;

  /** @param now monotonic milliseconds */
  constructor(readonly now: () => number = () => performance.now()) {}

  reportTo(logger: Logger): void {
    this.logger = logger;
  }

  isOngoing(store: Store): boolean {
    return this.ongoing.has(store);
  }

  /** Whether what began at that time met an outage that is ongoing, or that has ended since. */
  metOutage(store: Store, startedAt: number): boolean {
    return this.isOngoing(store) || startedAt < (this.endedAt.get(store) ?? -Infinity);
  }

  /**
   * @param error with which the store, or the connection to it, failed
   * @param startedAt when that began which failed: a statement on a dead connection fails many seconds after the end of
   *   an outage, and must not begin another one
   */
  failed(store: Store, error: Error, startedAt = this.now()): void {
    this.explained.add(error);
    const now = this.now();
    const outage = this.ongoing.get(store);
    if (!outage) {
      if (this.metOutage(store, startedAt)) return;
      this.ongoing.set(store, { startedAt: now, loggedAt: now, failedAt: now, refusal: undefined });
      this.logger?.warn({ reason: reasonOf(error) }, `${store} is not available`);
      return;
    }
    outage.failedAt = now;
    outage.refusal = refusalReason(error.message) ?? outage.refusal;
    if (now - outage.loggedAt < REMIND_EVERY_MS) return;
    const reason = outage.refusal ?? reasonOf(error);
    Object.assign(outage, { loggedAt: now, refusal: undefined });
    this.logger?.warn({ reason, seconds: secondsOf(outage, now) }, `${store} is still not available`);
  }

  responded(store: Store): void {
    const outage = this.ongoing.get(store);
    if (!outage) return;
    const now = this.now();
    if (now - outage.failedAt < SETTLED_AFTER_MS) return;
    this.ongoing.delete(store);
    this.endedAt.set(store, now);
    // A warning, so that a log that has the first line has the last one, too.
    this.logger?.warn({ seconds: secondsOf(outage, now) }, `${store} is available again`);
  }

  /** Whether the lines of this class have the cause of an error. */
  explains(error: unknown): boolean {
    let cause = error;
    for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
      if (isRedisOutage(cause)) this.failed('Redis', cause);
      if (this.explained.has(cause)) return true;
      cause = cause.cause;
    }
    return false;
  }
}

/** Errors of several addresses of one name have no message. */
function reasonOf(error: Error): string {
  const { message, code } = errorFields(error);
  return redisOutageReason(message) || (code ?? 'no reason given');
}

function secondsOf({ startedAt }: Outage, now: number): number {
  return Math.round((now - startedAt) / 1000);
}
