import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';
import { BUDGET_NAMES, type BudgetName } from './budget.js';

/** Metrics of budgets that organizations approach or exceed. */
@Injectable()
export class BudgetMetrics {
  private readonly warnings: Counter<'budget'>;
  private readonly refusals: Counter<'budget'>;

  constructor(@Inject(METRICS) registry: Registry) {
    this.warnings = new Counter({
      name: 'mailbeacon_budget_warnings_total',
      help: 'Organizations that used 80 % of a budget, once per period',
      labelNames: ['budget'],
      registers: [registry],
    });
    this.refusals = new Counter({
      name: 'mailbeacon_budget_refusals_total',
      help: 'Requests that were refused, and steps of broadcasts that wait, because a budget is used up',
      labelNames: ['budget'],
      registers: [registry],
    });
    // Starts every series at zero: otherwise `increase()` misses the first event.
    for (const budget of BUDGET_NAMES) {
      this.warnings.inc({ budget }, 0);
      this.refusals.inc({ budget }, 0);
    }
  }

  countWarning(budget: BudgetName): void {
    this.warnings.inc({ budget });
  }

  countRefusal(budget: BudgetName): void {
    this.refusals.inc({ budget });
  }
}
