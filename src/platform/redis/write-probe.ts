import type { RedisConnection } from './connect.js';

const KEY = '{mailbeacon}:write-probe';
const KEY_EXPIRES_MS = 60_000;
/** Balancers, scrapes and several roles that ask at once cost one write. */
const CACHE_MS = 1_000;
/** A Redis that hangs must not hang the answer of readiness: balancers wait a second for it. */
const DEADLINE_MS = 500;

/** Thrown when Redis is connected but takes no writes; the message may be shown. */
class WritesRefusedError extends Error {
  override readonly name = 'WritesRefusedError';
}

const reasons: readonly [pattern: RegExp, reason: string][] = [
  [/(^|-)(READONLY|MOVED) /, 'redis is a read only replica'],
  [/(^|-)OOM /, 'redis is full'],
  [/(^|-)LOADING /, 'redis loads its data'],
  [/(^|-)MASTERDOWN /, 'redis has lost its primary'],
  [/(^|-)CLUSTERDOWN /, 'the redis cluster is down'],
  [/(^|-)NOREPLICAS /, 'redis has too few replicas'],
  [/(^|-)MISCONF /, 'redis cannot write to its disk'],
  [/(^|-)(NOPERM|NOAUTH|WRONGPASS)/, 'redis denies access'],
];

/**
 * Whether Redis takes writes. One that is full, or a primary that was demoted while its connections stayed open,
 * answers PING all the same.
 */
export class WriteProbe {
  private latest: { readonly at: number; readonly outcome: Promise<void> } | undefined;

  constructor(private readonly redis: RedisConnection) {
    // What the last connection said tells nothing about the next.
    redis.on('ready', () => (this.latest = undefined));
  }

  /** @throws WritesRefusedError when Redis refuses or hangs, and the connection's error when it is away */
  check(): Promise<void> {
    const now = performance.now();
    if (this.latest && now - this.latest.at < CACHE_MS) return this.latest.outcome;
    const outcome = this.write();
    this.latest = { at: now, outcome };
    return outcome;
  }

  private async write(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      // An answer that is there already is read first: a process that was busy must not blame Redis.
      timer = setTimeout(
        () => setImmediate(() => reject(new WritesRefusedError('redis does not answer'))),
        DEADLINE_MS,
      );
    });
    try {
      await Promise.race([this.redis.set(KEY, '1', 'PX', KEY_EXPIRES_MS), late]);
    } catch (error) {
      if (error instanceof WritesRefusedError) throw error;
      const message = String((error as { message?: unknown }).message);
      const known = reasons.find(([pattern]) => pattern.test(message));
      throw known ? new WritesRefusedError(known[1]) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
