import { formatBytes, formatCount } from './format';
import type { Usage } from './types';

export type BudgetName = keyof Usage['budgets'];
export type BudgetUsage = Usage['budgets'][BudgetName];

interface BudgetText {
  readonly label: string;
  format(value: number): string;
}

/** The budgets in the order of the page. */
export const BUDGETS: Readonly<Record<BudgetName, BudgetText>> = {
  emailsPerDay: { label: 'Emails a day', format: formatCount },
  storedBytes: { label: 'Stored content', format: formatBytes },
  renderSecondsPerMinute: { label: 'Rendering a minute', format: (seconds) => `${formatCount(seconds)} s` },
  eventsPerEmailPerMinute: { label: 'Events of the busiest email a minute', format: formatCount },
  domains: { label: 'Domains', format: formatCount },
  webhooks: { label: 'Webhooks', format: formatCount },
};
/** The share at which the service also warns. */
const NEAR_PERCENT = 80;

/** The used share of a budget in percent; 0 without a limit. */
export function usedPercent({ used, limit }: BudgetUsage): number {
  return limit === null ? 0 : limit === 0 ? 0 : (100 * used) / limit;
}

export function isNear(usage: BudgetUsage): boolean {
  return usedPercent(usage) >= NEAR_PERCENT;
}

export function budgetLabel(name: string): string {
  return BUDGETS[name as BudgetName]?.label ?? name;
}
