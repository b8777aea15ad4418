import { Injectable } from '@nestjs/common';
import { Batcher } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { BUDGETS, type BudgetLine } from './budget.js';
import { ADD_LINES, RETURN_SHARES, TAKE_SHARES } from './budget-statements.js';

/** The result of a request for a share. */
export interface GrantedShare {
  /** Units that this process may spend; 0 if less is left than it needs. */
  readonly share: number;
  /** Units that are left for all processes; null without a limit. */
  readonly left: number | null;
  /** True once the organization was warned about the period. */
  readonly warned: boolean;
}

interface Wanted {
  readonly line: BudgetLine;
  readonly needed: number;
}

const MAX_BATCH = 100;

/** Takes shares of budgets from Postgres, where all processes count, and returns the unused rest. */
@Injectable()
export class BudgetShares {
  private readonly wanted: Batcher<Wanted, GrantedShare | undefined>;

  constructor(private readonly database: Database) {
    this.wanted = new Batcher((items) => this.takeAll(items), { maxItems: MAX_BATCH, locksRows: true });
  }

  /** @returns undefined when the organization no longer exists */
  async take(line: BudgetLine, needed: number): Promise<GrantedShare | undefined> {
    const granted = await this.wanted.call({ line, needed });
    if (granted) return granted;
    await this.database.query(ADD_LINES, keysOf([line]));
    return this.wanted.call({ line, needed });
  }

  /** @param shares lines with the units of a share that were not used; negative for units beyond it */
  async giveBack(shares: ReadonlyMap<BudgetLine, number>): Promise<void> {
    const lines = [...shares.keys()];
    await this.database.query(ADD_LINES, keysOf(lines));
    await this.database.query(RETURN_SHARES, [...keysOf(lines), [...shares.values()].map(Math.floor)]);
  }

  private async takeAll(items: readonly Wanted[]): Promise<(GrantedShare | undefined)[]> {
    const lines = items.map(({ line }) => line);
    const rows = await this.database.prepared<GrantedShare & { place: number }>('take-budget-shares', TAKE_SHARES, [
      ...keysOf(lines),
      items.map(({ needed }) => Math.ceil(needed)),
      lines.map(({ limit }) => limit ?? null),
      lines.map(({ budget }) => BUDGETS[budget].share),
    ]);
    const granted = new Map(rows.map(({ place, ...share }) => [place, share]));
    return items.map((_, place) => granted.get(place));
  }
}

function keysOf(lines: readonly BudgetLine[]): [string[], string[], Date[]] {
  return [
    lines.map(({ organizationId }) => organizationId),
    lines.map(({ budget }) => budget),
    lines.map(({ period }) => new Date(period)),
  ];
}
