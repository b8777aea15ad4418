import { Injectable } from '@nestjs/common';
import { BudgetExceededError } from '../../organizations/budgets/budget-errors.js';
import { Budgets, type BudgetOwner, type Spending } from '../../organizations/budgets/budgets.js';

/** How many emails a step may create. */
export interface BroadcastAllowance {
  /** 0 when the emails of the day are used up. */
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
    let refusal: BudgetExceededError | undefined;
    for (let emails = wanted; emails >= 1; emails = Math.floor(emails / 2)) {
      try {
        return { emails, spending: await this.budgets.take(owner, 'emailsPerDay', emails) };
      } catch (error) {
        if (!(error instanceof BudgetExceededError)) throw error;
        refusal = error;
      }
    }
    return { emails: 0, spending: NOTHING, ...(refusal?.renewsAt && { renewsAt: refusal.renewsAt }) };
  }
}
