import type { PlanLimits } from '../../platform/config/plan-limits.js';
import type { Settings } from '../../platform/config/settings.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** What a row of a list counts in addition to its texts: roughly its columns and index entries. */
export const ROW_BYTES = 100;

/** How a budget is limited, counted and renewed. */
interface BudgetRule {
  readonly limits: (settings: Settings) => PlanLimits;
  /** Length of its period, which starts at a multiple of it since 1970 (UTC). Null: it does not renew. */
  readonly periodMs: number | null;
  /** How many stored units make one unit of the configured limit. */
  readonly scale: number;
  /** What no plan can exceed, in units of the configured limit. */
  readonly most?: number;
  /** Largest number of counted units that a process takes at once, unless it needs more. */
  readonly share: number;
  /** The name in sentences. */
  readonly name: string;
}

/** Budgets that are counted in `budget_usage`. */
export const BUDGETS = {
  emailsPerDay: {
    limits: ({ BUDGET_EMAILS_PER_DAY }) => BUDGET_EMAILS_PER_DAY,
    ...{ periodMs: DAY_MS, scale: 1, share: 1_000, name: 'emails per day' },
  },
  storedBytes: {
    limits: ({ BUDGET_STORED_BYTES }) => BUDGET_STORED_BYTES,
    ...{ periodMs: null, scale: 1, share: 10_000_000, name: 'stored bytes' },
  },
  renderSecondsPerMinute: {
    limits: ({ BUDGET_RENDER_SECONDS_PER_MINUTE }) => BUDGET_RENDER_SECONDS_PER_MINUTE,
    ...{ periodMs: MINUTE_MS, scale: 1000, share: 10_000, name: 'render seconds per minute' },
  },
  eventsPerEmailPerMinute: {
    limits: ({ BUDGET_EVENTS_PER_EMAIL_PER_MINUTE }) => BUDGET_EVENTS_PER_EMAIL_PER_MINUTE,
    ...{ periodMs: MINUTE_MS, scale: 1, share: 1, name: 'events per email and minute' },
  },
  domains: {
    limits: ({ BUDGET_DOMAINS }) => BUDGET_DOMAINS,
    // Each domain costs a key generation and a check every day.
    ...{ periodMs: null, scale: 1, most: 100, share: 1, name: 'domains' },
  },
  webhooks: {
    limits: ({ BUDGET_WEBHOOKS }) => BUDGET_WEBHOOKS,
    // Each webhook multiplies the rows and requests per email.
    ...{ periodMs: null, scale: 1, most: 10, share: 1, name: 'webhooks' },
  },
} as const satisfies Record<string, BudgetRule>;

export type BudgetName = keyof typeof BUDGETS;
export const BUDGET_NAMES = Object.keys(BUDGETS) as readonly BudgetName[];

/** Share of a budget at which its organization is warned. */
export const WARNED_FROM = 0.8;
/**
 * Below this share, an organization can be warned again. It is lower, because processes return what they do not use:
 * otherwise each could cause a warning.
 */
export const WARNED_AGAIN_BELOW = 0.75;

/** A budget of one organization in one period. */
export interface BudgetLine {
  readonly organizationId: string;
  readonly budget: BudgetName;
  /** Start of the period, in milliseconds since the Unix epoch; 0 for a budget that does not renew. */
  readonly period: number;
  /** In counted units; undefined means none. */
  readonly limit: number | undefined;
}

/** In counted units; undefined means none. */
export function budgetLimit(settings: Settings, plan: string, budget: BudgetName): number | undefined {
  const { limits, scale, most = Infinity }: BudgetRule = BUDGETS[budget];
  const limit = Math.min(limits(settings).of(plan) ?? Infinity, most);
  return limit === Infinity ? undefined : limit * scale;
}

/** @param at a time within the period, in milliseconds since the Unix epoch */
export function periodOf(budget: BudgetName, at: number): number {
  const { periodMs } = BUDGETS[budget];
  return periodMs === null ? 0 : at - (at % periodMs);
}

/** Null for a budget that does not renew. */
export function renewalOf({ budget, period }: Pick<BudgetLine, 'budget' | 'period'>): Date | null {
  const { periodMs } = BUDGETS[budget];
  return periodMs === null ? null : new Date(period + periodMs);
}
