import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import type { Sql } from '../../platform/database/database.js';
import { budgetLimit, WARNED_FROM, type BudgetLine } from './budget.js';
import { BudgetExceededError } from './budget-errors.js';
import { BudgetMetrics } from './budget-metrics.js';
import { BudgetWarnings } from './budget-warnings.js';

type ItemBudget = 'domains' | 'webhooks';

/**
 * $1 organization, $2 budget, $3 items, $4 items at which to warn. The warning is re-armed once the count drops below
 * the threshold.
 */
const COUNT = `
insert into budget_usage as u (organization_id, budget, period, used) values ($1, $2, to_timestamp(0), $3)
on conflict (organization_id, budget, period) do update
   set used = excluded.used, warned_at = case when u.used >= $4::bigint then u.warned_at end`;

/** Budgets of items that are counted by their rows, because there are few of them. */
@Injectable()
export class ItemBudgets {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly warnings: BudgetWarnings,
    private readonly metrics: BudgetMetrics,
  ) {}

  /** @param items the current number of items. @throws BudgetExceededError when one more is not allowed */
  async requireRoom(sql: Sql, organizationId: string, budget: ItemBudget, items: number): Promise<BudgetLine> {
    const [row] = await sql.query<{ plan: string }>('select plan from organizations where id = $1', [organizationId]);
    const plan = row?.plan ?? '';
    const line = { organizationId, budget, period: 0, limit: budgetLimit(this.settings, plan, budget) };
    if (line.limit === undefined || items < line.limit) return line;
    this.metrics.countRefusal(budget);
    throw new BudgetExceededError(line, plan, 0);
  }

  /**
   * Counts one more item, and warns.
   * @param sql a transaction that has locked the organization
   * @throws BudgetExceededError
   */
  async add(sql: Sql, organizationId: string, budget: ItemBudget, items: number): Promise<void> {
    const line = await this.requireRoom(sql, organizationId, budget, items);
    if (line.limit === undefined) return;
    await sql.query(COUNT, [organizationId, budget, items + 1, Math.ceil(line.limit * WARNED_FROM)]);
    await this.warnings.warn(sql, line);
  }
}
