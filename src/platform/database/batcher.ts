interface Call<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Combines many calls into few statements. While one batch is running, new calls are collected for the next batch. A
 * call that arrives while no batch is running starts one, together with the other calls of its turn of the event loop:
 * responses that arrive on several sockets at once are handled in the same turn.
 */
export class Batcher<Item, Result> {
  private waiting: Call<Item, Result>[] = [];
  private busy = false;

  /** @param run returns one result per item, in order; must be atomic per batch */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly maxItems: number,
  ) {}

  call(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.busy) return;
      this.busy = true;
      setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) await this.settle(this.waiting.splice(0, this.maxItems));
    this.busy = false;
  }

  /** Never throws. Splits a rejected batch in half, so that one item that Postgres rejects does not fail the others. */
  private async settle(calls: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(calls.map(({ item }) => item));
      calls.forEach((call, index) => call.resolve(results[index]!));
    } catch (error) {
      if (calls.length === 1 || !isRefusal(error)) {
        for (const call of calls) call.reject(error);
        return;
      }
      const middle = Math.ceil(calls.length / 2);
      await this.settle(calls.slice(0, middle));
      await this.settle(calls.slice(middle));
    }
  }
}

/** True if Postgres rejected the statement, rather than being unavailable (SQLSTATE classes 08, 53, 57). */
function isRefusal(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^(?!08|53|57)[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
}
