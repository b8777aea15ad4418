import type { Clock } from '../../platform/clock/clock.js';
import type { EventLoopLoad } from '../../platform/clock/event-loop-load.js';

/** A broadcast waits at most this long before a part of its work. */
const LONGEST_WAIT_MS = 10;
/** A send that began earlier waits for its provider, and needs no processor time. */
const COMPUTING_MS = 50;
/** Sends are frequent if one began within this time. */
const FREQUENT_MS = 1_000;
/** Broadcasts give way while the event loop works for more than this share of its time. */
const BUSY_SHARE = 0.4;

/**
 * The emails that this worker delivers one by one: all except those of broadcasts. Broadcasts give way to them on a busy
 * host: a person may be waiting for a password reset, and a newsletter may take half as long again. Measured on two
 * cores: the p95 of another organization's sends beside a broadcast fell from 2.8 to 1.8 times that of an idle service.
 */
export class SingleSends {
  private underWay = 0;
  private lastBeganAt = -Infinity;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly load: Pick<EventLoopLoad, 'busyShare'>,
  ) {}

  /** True while sends are frequent and this process is so busy that they take noticeably longer. */
  get needRoom(): boolean {
    return this.sinceLastMs() < FREQUENT_MS && this.load.busyShare > BUSY_SHARE;
  }

  /** Runs one send. */
  async during<Result>(send: () => Promise<Result>): Promise<Result> {
    this.underWay += 1;
    this.lastBeganAt = this.clock.now();
    try {
      return await send();
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) for (const proceed of this.waiting) proceed();
    }
  }

  /**
   * Resolves once no send is under way, or after 10 milliseconds: sends that never cease must not stop a broadcast.
   * Resolves at once while the process has time for both.
   */
  giveWay(): Promise<void> {
    const compute = this.underWay > 0 && this.sinceLastMs() <= COMPUTING_MS;
    if (!compute || this.load.busyShare <= BUSY_SHARE) return Promise.resolve();
    return new Promise((resolve) => {
      const proceed = () => {
        clearTimeout(timer);
        this.waiting.delete(proceed);
        resolve();
      };
      const timer = setTimeout(proceed, LONGEST_WAIT_MS);
      this.waiting.add(proceed);
    });
  }

  private sinceLastMs(): number {
    return this.clock.now() - this.lastBeganAt;
  }
}
