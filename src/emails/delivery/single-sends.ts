import type { Clock } from '../../platform/clock/clock.js';
import type { EventLoopLoad } from '../../platform/clock/event-loop-load.js';

/** A broadcast waits at most this long before a part of its work. */
const LONGEST_YIELD_MS = 10;
/** A send that began earlier waits for its provider, and needs no processor time, however many begin after it. */
const COMPUTING_MS = 50;
/** Sends are frequent if one began within this time. */
const FREQUENT_MS = 1_000;
/** Broadcasts give way while the event loop works for more than this share of its time. */
const BUSY_SHARE = 0.4;

/** Runs a part of a send that only waits. */
export type Waiting = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** For an email of a broadcast, which is no single send. */
export const waitAsBroadcast: Waiting = (wait) => wait();

/**
 * The emails that this worker delivers one by one: all except those of broadcasts. Broadcasts give way to them on
 * a busy host: a person may be waiting for a password reset, and a newsletter may take half as long again.
 * Measured on two cores: the p95 of another organization's sends beside a broadcast fell from 2.8 to 1.8 times
 * that of an idle service.
 */
export class SingleSends {
  /** When each of them began to compute, the earliest first. */
  private readonly computing = new Set<{ readonly since: number }>();
  private lastBeganAt = -Infinity;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly load: Pick<EventLoopLoad, 'busyShare'>,
  ) {}

  /** True while sends are frequent and this process is so busy that they take noticeably longer. */
  get needRoom(): boolean {
    return this.clock.now() - this.lastBeganAt < FREQUENT_MS && this.load.busyShare > BUSY_SHARE;
  }

  /** Runs one send. While it waits for a slot of its provider, broadcasts do not give way to it. */
  async during<Result>(send: (waiting: Waiting) => Promise<Result>): Promise<Result> {
    let end = this.begin();
    const waiting: Waiting = async (wait) => {
      end();
      return wait().finally(() => (end = this.begin()));
    };
    try {
      return await send(waiting);
    } finally {
      end();
    }
  }

  /**
   * Resolves once no send computes, or after 10 milliseconds: sends that never cease must not stop a broadcast.
   * Resolves at once while the process has time for both.
   */
  giveWay(): Promise<void> {
    if (this.load.busyShare <= BUSY_SHARE || !this.areComputing()) return Promise.resolve();
    return new Promise((resolve) => {
      const proceed = () => {
        clearTimeout(timer);
        this.waiting.delete(proceed);
        resolve();
      };
      const timer = setTimeout(proceed, LONGEST_YIELD_MS);
      this.waiting.add(proceed);
    });
  }

  /** @returns what ends it */
  private begin(): () => void {
    this.lastBeganAt = this.clock.now();
    const send = { since: this.lastBeganAt };
    this.computing.add(send);
    return () => {
      this.computing.delete(send);
      if (!this.areComputing()) for (const proceed of this.waiting) proceed();
    };
  }

  private areComputing(): boolean {
    const earliest = this.clock.now() - COMPUTING_MS;
    for (const send of this.computing) {
      if (send.since >= earliest) return true;
      this.computing.delete(send);
    }
    return false;
  }
}
