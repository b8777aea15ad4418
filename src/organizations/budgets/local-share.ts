import type { BudgetLine } from './budget.js';
import type { GrantedShare } from './budget-shares.js';

/** How long a process does not query Postgres again after a refusal. */
const REFUSED_FOR_MS = 1_000;

interface Refusal {
  readonly limit: number | undefined;
  /** Units left for all processes together. */
  readonly left: number;
  readonly until: number;
}

/** The part of a budget that this process may still spend without a query. */
export class LocalShare {
  /** Negative after a charge beyond the share. */
  private left = 0;
  private refusal: Refusal | undefined;
  private asking: Promise<unknown> | undefined;
  /** On the monotonic clock of the process. */
  private usedAt = 0;

  /**
   * Spends units, and takes a further share if needed; concurrent callers share a query and its error.
   * @param ask takes a share from Postgres
   * @returns false when the budget does not have that many units left
   */
  async take(line: BudgetLine, units: number, ask: (needed: number) => Promise<GrantedShare>): Promise<boolean> {
    for (;;) {
      this.usedAt = performance.now();
      if (this.left >= units) {
        this.left -= units;
        return true;
      }
      if (this.isRefused(line, units)) return false;
      if (this.asking) await this.asking;
      else await this.askFor(line, units - this.left, ask);
    }
  }

  /** Spends units, whether or not they are left. A negative number returns units. */
  charge(units: number): void {
    this.left -= units;
    this.usedAt = performance.now();
    if (units < 0) this.refusal = undefined;
  }

  /** @returns units to return to Postgres, if this share is not in use; negative for units beyond it */
  settle(idleMs: number): number {
    if (this.asking || (this.left >= 0 && performance.now() - this.usedAt < idleMs)) return 0;
    const unused = this.left;
    this.left = 0;
    return unused;
  }

  /** True if nothing is lost when it is dropped. */
  get isIdle(): boolean {
    return this.left === 0 && !this.asking;
  }

  private isRefused({ limit }: BudgetLine, units: number): boolean {
    const { refusal } = this;
    return (
      refusal !== undefined &&
      refusal.limit === limit &&
      this.usedAt < refusal.until &&
      units > this.left + refusal.left
    );
  }

  private async askFor(
    { limit }: BudgetLine,
    needed: number,
    ask: (needed: number) => Promise<GrantedShare>,
  ): Promise<void> {
    const request = ask(needed);
    this.asking = request;
    try {
      const { share, left } = await request;
      this.left += share;
      // From the response on: counted from the request, a slow one would be over before anyone reads it.
      const until = performance.now() + REFUSED_FOR_MS;
      this.refusal = share > 0 ? undefined : { limit, left: left ?? 0, until };
    } finally {
      this.asking = undefined;
    }
  }
}
