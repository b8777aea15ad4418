import { DomainError } from '../../platform/errors/domain-error.js';
import { inSeconds } from '../../platform/http/rate-limit-headers.js';
import { BUDGETS, renewalOf, type BudgetLine } from './budget.js';

/** 429 for a budget that renews, 403 for one that does not. */
export class BudgetExceededError extends DomainError {
  override readonly retryAfterSeconds?: number;
  /** Null for a budget that does not renew. */
  readonly renewsAt: Date | null;

  /** @param now in milliseconds since the Unix epoch */
  constructor(line: Pick<BudgetLine, 'budget' | 'period' | 'limit'>, plan: string, now: number) {
    const renewsAt = renewalOf(line);
    const { name, scale } = BUDGETS[line.budget];
    const renewal = renewsAt ? `it renews at ${renewsAt.toISOString()}` : 'it does not renew: delete something first';
    const sentence = `The budget of ${name} is used up: the plan ${plan} allows ${(line.limit ?? 0) / scale}, and ${renewal}`;
    super(renewsAt ? 'too-many-requests' : 'forbidden', sentence);
    this.renewsAt = renewsAt;
    if (renewsAt) this.retryAfterSeconds = inSeconds(renewsAt.getTime() - now);
  }
}
