import type { Sql } from '../../platform/database/database.js';
import { BUDGETS, BUDGET_NAMES, periodOf, renewalOf, type BudgetName } from './budget.js';

/** What an organization has used of a budget. */
export interface BudgetUsageView {
  readonly used: number;
  /** Null means none. */
  readonly limit: number | null;
  /** Null for a budget that does not renew. */
  readonly renewsAt: string | null;
}

export interface UsageView {
  readonly plan: string;
  readonly budgets: Readonly<Record<BudgetName, BudgetUsageView>>;
}

const USED = `
select u.budget, u.used::float8 as used
  from unnest($2::text[], $3::timestamptz[]) as w (budget, period)
  join budget_usage u on (u.organization_id, u.budget, u.period) = ($1, w.budget, w.period)
union all
select 'domains', count(*) from sending_domains where organization_id = $1
union all
select 'webhooks', count(*) from webhook_endpoints where organization_id = $1 and deleted_at is null`;

/**
 * Reads what an organization has used in the periods of `now`. Includes the shares that processes hold.
 * @param limitOf the limit of a budget in counted units; undefined means none
 */
export async function readUsage(
  sql: Sql,
  { organizationId, plan }: { readonly organizationId: string; readonly plan: string },
  limitOf: (budget: BudgetName) => number | undefined,
  now: number,
): Promise<UsageView> {
  const counted = BUDGET_NAMES.filter((budget) => budget !== 'domains' && budget !== 'webhooks');
  const rows = await sql.query<{ budget: BudgetName; used: number }>(USED, [
    organizationId,
    counted,
    counted.map((budget) => new Date(periodOf(budget, now))),
  ]);
  const used = new Map(rows.map((row) => [row.budget, Number(row.used)]));
  const view = (budget: BudgetName): BudgetUsageView => {
    const { scale } = BUDGETS[budget];
    const limit = limitOf(budget);
    return {
      used: Math.round(((used.get(budget) ?? 0) / scale) * 10) / 10,
      limit: limit === undefined ? null : limit / scale,
      renewsAt: renewalOf({ budget, period: periodOf(budget, now) })?.toISOString() ?? null,
    };
  };
  const budgets = Object.fromEntries(BUDGET_NAMES.map((budget) => [budget, view(budget)]));
  return { plan, budgets: budgets as Record<BudgetName, BudgetUsageView> };
}
