interface Call<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** SQLSTATE of a statement that reached its timeout. It is rolled back. */
const CANCELED = '57014';

/**
 * Combines many calls into few statements. While one batch is running, new calls are collected for the next batch. A
 * call that arrives while no batch is running starts one, together with the other calls of its turn of the event loop:
 * responses that arrive on several sockets at once are handled in the same turn.
 */
export class Batcher<Item, Result> {
  private waiting: Call<Item, Result>[] = [];
  private unsettled = 0;
  private busy = false;

  /**
   * @param run returns one result per item, in order; must be atomic per batch
   * @param patienceMs how long a batch may take before the next one starts beside it; without a limit if absent
   */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly maxItems: number,
    private readonly patienceMs?: number,
  ) {}

  /** True while no call waits for its result. */
  get isIdle(): boolean {
    return this.unsettled === 0;
  }

  call(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.unsettled++;
      this.waiting.push({ item, resolve, reject });
      if (this.busy) return;
      this.busy = true;
      setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const settled = this.settle(this.waiting.splice(0, this.maxItems));
      await (this.patienceMs === undefined ? settled : within(settled, this.patienceMs));
    }
    this.busy = false;
  }

  /** Never throws. Splits a rejected batch in half, so that one item that Postgres rejects does not fail the others. */
  private async settle(calls: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(calls.map(({ item }) => item));
      this.unsettled -= calls.length;
      calls.forEach((call, index) => call.resolve(results[index]!));
    } catch (error) {
      const code = codeOf(error);
      if (calls.length === 1 || !(isRefusal(code) || code === CANCELED)) {
        this.unsettled -= calls.length;
        for (const call of calls) call.reject(error);
        return;
      }
      // One that waits for a lock would hold up the others of its half a second time.
      if (code === CANCELED) return void (await Promise.all(calls.map((call) => this.settle([call]))));
      const middle = Math.ceil(calls.length / 2);
      await this.settle(calls.slice(0, middle));
      await this.settle(calls.slice(middle));
    }
  }
}

/** Resolves when the work is done, or after this time. @param work never rejects */
function within(work: Promise<void>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, milliseconds);
    void work.then(() => {
      clearTimeout(late);
      resolve();
    });
  });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** True if Postgres rejected the statement, rather than being unavailable (SQLSTATE classes 08, 53, 57). */
function isRefusal(code: string): boolean {
  return /^(?!08|53|57)[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
}
