import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { budgetLimit, periodOf, type BudgetLine, type BudgetName } from './budget.js';
import { BudgetExceededError } from './budget-errors.js';
import { BudgetLedger } from './budget-ledger.js';
import { BudgetMetrics } from './budget-metrics.js';

/** The fields of an organization on which its budgets depend. */
export interface BudgetOwner {
  readonly organizationId: string;
  readonly plan: string;
}

/** Units that were taken from a budget. */
export interface Spending {
  /** Corrects the number of units once it is known. 0 returns all of them. */
  correct(units: number): void;
}

/** The budgets of organizations, by their plans. */
@Injectable()
export class Budgets {
  constructor(
    private readonly ledger: BudgetLedger,
    private readonly metrics: BudgetMetrics,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Takes units from the budget of the period of `at`.
   * @throws BudgetExceededError when fewer are left
   */
  async take(owner: BudgetOwner, budget: BudgetName, units: number, at?: Date): Promise<Spending> {
    const spending = await this.tryTake(owner, budget, units, at);
    if (!spending) throw this.refuse(owner, budget, at);
    return spending;
  }

  /** Takes units from the budget of the period of `at`. Undefined when fewer are left. */
  async tryTake(owner: BudgetOwner, budget: BudgetName, units: number, at?: Date): Promise<Spending | undefined> {
    const line = this.lineOf(owner, budget, at);
    return (await this.ledger.take(line, units)) ? this.spendingOn(line, units) : undefined;
  }

  /** Takes nothing yet, and refuses nothing: for work that the budget may exceed. */
  takeLater(owner: BudgetOwner, budget: BudgetName): Spending {
    return this.spendingOn(this.lineOf(owner, budget), 0);
  }

  /**
   * Takes stored bytes, then stores. Returns the bytes that it did not store: all of them if it fails.
   * @param storedBytes the bytes that it stored; all of them by default
   * @throws BudgetExceededError when fewer are left
   */
  async spendBytes<Result>(
    owner: BudgetOwner,
    bytes: number,
    store: () => Promise<Result>,
    storedBytes: (result: Result) => number = () => bytes,
  ): Promise<Result> {
    const spending = await this.take(owner, 'storedBytes', bytes);
    let stored = 0;
    try {
      const result = await store();
      stored = storedBytes(result);
      return result;
    } finally {
      if (stored !== bytes) spending.correct(stored);
    }
  }

  /** Counts a request that the budget of the period of `at` does not allow. @returns the error to respond with */
  refuse(owner: BudgetOwner, budget: BudgetName, at?: Date): BudgetExceededError {
    this.metrics.countRefusal(budget);
    return new BudgetExceededError(this.lineOf(owner, budget, at), owner.plan, this.clock.now());
  }

  /** True if units of both times count against the same budget. Without a second time, it is now. */
  isSamePeriod(budget: BudgetName, one: Date, other?: Date): boolean {
    const periodAt = (at: Date | undefined) => periodOf(budget, at?.getTime() ?? this.clock.now());
    return periodAt(one) === periodAt(other);
  }

  /** Returns units that were taken from the budget of the period of `at`. */
  giveBack(owner: BudgetOwner, budget: BudgetName, units: number, at: Date): void {
    this.ledger.charge(this.lineOf(owner, budget, at), -units);
  }

  /** In counted units; undefined means none. */
  limitOf({ plan }: Pick<BudgetOwner, 'plan'>, budget: BudgetName): number | undefined {
    return budgetLimit(this.settings, plan, budget);
  }

  private spendingOn(line: BudgetLine, units: number): Spending {
    let taken = units;
    return {
      correct: (actual) => {
        this.ledger.charge(line, actual - taken);
        taken = actual;
      },
    };
  }

  private lineOf(owner: BudgetOwner, budget: BudgetName, at?: Date): BudgetLine {
    const { organizationId } = owner;
    const period = periodOf(budget, at?.getTime() ?? this.clock.now());
    return { organizationId, budget, period, limit: this.limitOf(owner, budget) };
  }
}
