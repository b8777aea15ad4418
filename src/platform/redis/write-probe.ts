import { DeadlineError, withDeadline } from '../clock/with-deadline.js';
import type { RedisConnection } from './connect.js';
import { refusalReason } from './refused-writes.js';

export const WRITE_PROBE_KEY = '{mailbeacon}:write-probe';
const KEY_EXPIRES_MS = 60_000;
/** Concurrent checks by load balancers, scrapes and several roles share one write. */
const CACHE_MS = 1_000;
/** A hung Redis must not delay the readiness response, for which load balancers wait a second. */
const DEADLINE_MS = 500;

/** A write without any effect: a full Redis, or a demoted primary with open connections, still responds to PING. */
export const tryToWrite = (redis: RedisConnection): Promise<unknown> =>
  redis.set(WRITE_PROBE_KEY, '1', 'PX', KEY_EXPIRES_MS);

/** Thrown when Redis is connected but accepts no writes. The message may be shown. */
class WritesRefusedError extends Error {
  override readonly name = 'WritesRefusedError';
}

/** Checks whether Redis accepts writes. */
export class WriteProbe {
  private latest: { readonly at: number; readonly outcome: Promise<void> } | undefined;

  constructor(private readonly redis: RedisConnection) {
    // The result of the previous connection does not apply to the next one.
    redis.on('ready', () => (this.latest = undefined));
  }

  /** @throws WritesRefusedError when Redis rejects writes or hangs, and the connection's error when Redis is down */
  check(): Promise<void> {
    const now = performance.now();
    if (this.latest && now - this.latest.at < CACHE_MS) return this.latest.outcome;
    const outcome = this.write();
    this.latest = { at: now, outcome };
    return outcome;
  }

  private async write(): Promise<void> {
    try {
      await withDeadline(DEADLINE_MS, tryToWrite(this.redis));
    } catch (error) {
      if (error instanceof DeadlineError) throw new WritesRefusedError('redis does not respond');
      const message = String((error as { message?: unknown }).message);
      const reason = refusalReason(message);
      throw reason === undefined ? error : new WritesRefusedError(reason);
    }
  }
}
