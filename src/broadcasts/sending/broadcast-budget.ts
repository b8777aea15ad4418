import { Injectable } from '@nestjs/common';
import { BudgetExceededError } from '../../organizations/budgets/budget-errors.js';
import { Budgets, type BudgetOwner, type Spending } from '../../organizations/budgets/budgets.js';

/** What a step may make of a broadcast. */
export interface BroadcastAllowance {
  /** 0 when the emails of the day are used up. */
  readonly emails: number;
  readonly spending: Spending;
  /** When more may be made; undefined while there are any. */
  readonly renewsAt?: Date;
}

const NOTHING: Spending = { correct: () => undefined };

/** What broadcasts take from the emails per day. */
@Injectable()
export class BroadcastBudget {
  constructor(private readonly budgets: Budgets) {}

  /** Takes as many emails as are left, at most `wanted`. Takes fewer near the end, and the rest with the next step. */
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
