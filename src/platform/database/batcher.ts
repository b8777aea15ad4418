import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from '../clock/with-deadline.js';

interface Call<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** SQLSTATE of a statement that reached its timeout. It is rolled back. */
const CANCELED = '57014';

/** The pause after a batch, as a multiple of the time that the batch took, so statements run a third of the time. */
const PAUSE_FACTOR = 2;
const MAX_PAUSE_MS = 20;
/** Calls since `LOAD_WINDOW_MS` before a batch. With fewer, a pause would cost more time than it saves. */
const MIN_CALLS_FOR_PAUSE = 3;
const LOAD_WINDOW_MS = 20;
/** Batches of a batcher at once, and calls of one of them that run again, each with a connection. */
const MAX_OVERLAPPING = 3;

export interface BatcherOptions {
  /** Calls per batch. */
  readonly maxItems: number;
  /** True if a batch may wait for rows that others have locked. After a timeout, each of its calls runs again alone. */
  readonly locksRows?: boolean;
  /** How long a batch may take before the next one starts beside it, up to three. Without a limit if absent. */
  readonly overlapAfterMs?: number;
  /** Waits between two batches; tests replace it. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Combines many calls into few statements. While one batch is running, new calls are collected for the next batch. A
 * call that arrives while no batch is running starts one, together with the other calls of its turn of the event loop:
 * responses that arrive on several sockets at once are handled in the same turn.
 *
 * Under load, a pause follows each batch, whether or not a call waits already, so that the next one is larger. Calls
 * that come evenly find no statement running, so their rate shows the load better than those that wait. A statement,
 * its commit and its socket writes cost about the same for three calls as for one, and other work gets the processor
 * time that the pause saves.
 */
export class Batcher<Item, Result> {
  private waiting: Call<Item, Result>[] = [];
  private unsettled = 0;
  /** When the latest calls came: at most `MIN_CALLS_FOR_PAUSE`, the oldest first. */
  private readonly arrivals: number[] = [];
  private busy = false;
  private readonly running = new Set<Promise<void>>();

  /** @param run returns one result per item, in order; must be atomic per batch */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: BatcherOptions,
  ) {}

  /** True while no call waits for its result, and no pause is in progress. */
  get isIdle(): boolean {
    return this.unsettled === 0 && !this.busy;
  }

  call(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.unsettled++;
      this.waiting.push({ item, resolve, reject });
      this.arrivals.push(performance.now());
      if (this.arrivals.length > MIN_CALLS_FOR_PAUSE) this.arrivals.shift();
      if (this.busy) return;
      this.busy = true;
      setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    const { maxItems, overlapAfterMs, pause = delay } = this.options;
    while (this.waiting.length > 0) {
      const startedAt = performance.now();
      const batch = this.waiting.splice(0, maxItems);
      const settled: Promise<void> = this.settle(batch).finally(() => this.running.delete(settled));
      this.running.add(settled);
      await (overlapAfterMs === undefined ? settled : withDeadline(overlapAfterMs, settled).catch(() => undefined));
      if (this.running.size >= MAX_OVERLAPPING) await Promise.race(this.running);
      if (this.wantsPauseAfter(startedAt)) await pause(pauseMs(performance.now() - startedAt));
    }
    this.busy = false;
  }

  private wantsPauseAfter(batchStartedAt: number): boolean {
    if (this.waiting.length >= this.options.maxItems || this.arrivals.length < MIN_CALLS_FOR_PAUSE) return false;
    return this.arrivals[0]! >= batchStartedAt - LOAD_WINDOW_MS;
  }

  /** Never throws. Splits a rejected batch in half, so that one item that Postgres rejects does not fail the others. */
  private async settle(calls: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(calls.map(({ item }) => item));
      this.unsettled -= calls.length;
      calls.forEach((call, index) => call.resolve(results[index]!));
    } catch (error) {
      const code = codeOf(error);
      const isLocked = code === CANCELED && this.options.locksRows === true;
      if (calls.length === 1 || !(isRefusal(code) || isLocked)) {
        this.unsettled -= calls.length;
        for (const call of calls) call.reject(error);
        return;
      }
      if (isLocked) return this.settleEach(calls);
      const middle = Math.ceil(calls.length / 2);
      await this.settle(calls.slice(0, middle));
      await this.settle(calls.slice(middle));
    }
  }

  /** One that waits for a lock would hold up the others of its half a second time. */
  private async settleEach(calls: readonly Call<Item, Result>[]): Promise<void> {
    const rest = [...calls];
    const settleRest = async (): Promise<void> => {
      for (let call = rest.shift(); call; call = rest.shift()) await this.settle([call]);
    };
    await Promise.all(Array.from({ length: MAX_OVERLAPPING }, settleRest));
  }
}

function pauseMs(batchMs: number): number {
  return Math.min(PAUSE_FACTOR * batchMs, MAX_PAUSE_MS);
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** True if Postgres rejected the statement, rather than being unavailable (SQLSTATE classes 08, 53, 57). */
function isRefusal(code: string): boolean {
  return /^(?!08|53|57)[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
}
