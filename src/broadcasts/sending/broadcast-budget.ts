import { Injectable } from '@nestjs/common';
import { Budgets, type BudgetOwner, type Spending } from '../../organizations/budgets/budgets.js';

/** How many emails a step may create. */
export interface BroadcastAllowance {
  /** 0 when the daily budget of emails is used up. */
  readonly emails: number;
  readonly spending: Spending;
  /** When more may be created; undefined while some are left. */
  readonly renewsAt?: Date;
}

const NOTHING: Spending = { correct: () => undefined };

/** The share of the budget of emails per day that broadcasts use. */
@Injectable()
export class BroadcastBudget {
  constructor(private readonly budgets: Budgets) {}

  /**
   * Takes as many emails as are left, at most `wanted`. Near the limit it takes fewer, and the next step takes the
   * rest.
   */
  async take(owner: BudgetOwner, wanted: number): Promise<BroadcastAllowance> {
    for (let emails = wanted; emails >= 1; emails = Math.floor(emails / 2)) {
      const spending = await this.budgets.tryTake(owner, 'emailsPerDay', emails);
      if (spending) return { emails, spending };
    }
    const { renewsAt } = this.budgets.refuse(owner, 'emailsPerDay');
    return { emails: 0, spending: NOTHING, ...(renewsAt && { renewsAt }) };
  }
}
