import { Inject, Injectable } from '@nestjs/common';
import type { Sql } from '../../platform/database/database.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { BUDGETS, renewalOf, WARNED_FROM, type BudgetLine } from './budget.js';
import { BudgetMetrics } from './budget-metrics.js';
import { WARN } from './budget-statements.js';

/** Warns organizations that have used most of a budget. */
@Injectable()
export class BudgetWarnings {
  constructor(
    private readonly metrics: BudgetMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Warns once per budget and period, however many processes call it. `sweep-webhooks` finds the deliveries about it.
   */
  async warn(sql: Sql, line: BudgetLine): Promise<void> {
    const { organizationId, budget, period, limit } = line;
    if (limit === undefined) return;
    const values = [organizationId, budget, new Date(period), limit, BUDGETS[budget].scale, renewalOf(line)];
    const [warned] = await sql.query<{ used: number }>(WARN, [...values, Math.ceil(limit * WARNED_FROM)]);
    if (!warned) return;
    this.metrics.countWarning(budget);
    this.logger.warn(
      { organizationId, budget, used: warned.used, limit: limit / BUDGETS[budget].scale },
      'Organization used 80 % of a budget',
    );
  }
}
