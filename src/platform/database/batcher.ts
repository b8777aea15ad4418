interface Call<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Makes few statements of many calls: while one batch is under way, everything that arrives is collected for the
 * next. Whoever calls while nothing is under way waits for nobody.
 */
export class Batcher<Item, Result> {
  private waiting: Call<Item, Result>[] = [];
  private busy = false;

  /** @param run resolves with one result per item, in their order; must do all of a batch or nothing */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly maxItems: number,
  ) {}

  call(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.busy) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.busy = true;
    while (this.waiting.length > 0) await this.settle(this.waiting.splice(0, this.maxItems));
    this.busy = false;
  }

  /** Never throws. One item that Postgres cannot take must not fail the others: a refused batch is halved. */
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

/** True when Postgres refused a statement, rather than being away (SQLSTATE classes 08, 53, 57). */
function isRefusal(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^(?!08|53|57)[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
}
