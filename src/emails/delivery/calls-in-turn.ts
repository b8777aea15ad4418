import { setTimeout as sleep } from 'node:timers/promises';

/** A call that takes longer no longer holds up the others: calls of one organization may hang. */
const LONGEST_TURN_MS = 1_000;

/** Makes calls one at a time for as long as that is needed. */
export class CallsInTurn {
  /** The call whose turn it is. */
  private turn: symbol | undefined;
  private readonly waiting = new Set<() => void>();

  /** @param isNeeded false once calls need not wait for each other */
  constructor(private readonly isNeeded: () => boolean) {}

  /** @returns undefined, without the call, if its turn does not come in time */
  async run<Result>(call: () => Promise<Result>, maxWaitMs: number): Promise<Result | undefined> {
    const timer = new AbortController();
    let tooLate: Promise<false> | undefined;
    // Nothing is awaited between the last check and the call, so that only one of those that wake at once begins.
    while (this.turn && this.isNeeded()) {
      if (maxWaitMs === 0) return undefined;
      tooLate ??= sleep(maxWaitMs, false as const, timer).catch(() => false);
      if (!(await Promise.race([this.woken(), tooLate]))) return undefined;
    }
    timer.abort();
    if (!this.isNeeded()) return call();
    const turn = Symbol('turn');
    this.turn = turn;
    const turnEnd = setTimeout(() => this.end(turn), LONGEST_TURN_MS).unref();
    try {
      return await call();
    } finally {
      clearTimeout(turnEnd);
      this.end(turn);
    }
  }

  /** Lets waiting calls check again whether they must wait. */
  wake(): void {
    for (const check of this.waiting) check();
    this.waiting.clear();
  }

  private end(turn: symbol): void {
    if (this.turn !== turn) return;
    this.turn = undefined;
    this.wake();
  }

  private woken(): Promise<true> {
    return new Promise((resolve) => this.waiting.add(() => resolve(true)));
  }
}
