import { BroadcastBudget } from '../../../src/broadcasts/sending/broadcast-budget.js';
import type { BudgetLedger } from '../../../src/organizations/budgets/budget-ledger.js';
import type { BudgetMetrics } from '../../../src/organizations/budgets/budget-metrics.js';
import { Budgets } from '../../../src/organizations/budgets/budgets.js';
import { readSettings } from '../../../src/platform/config/settings.js';

const OWNER = { organizationId: '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77', plan: 'free' };
const NOON = Date.parse('2026-03-01T12:00:00Z');
const settings = readSettings({ ROLES: 'flusher', BUDGET_EMAILS_PER_DAY: 'free=1000' });

/** A budget of which some emails are left. */
function budgetWith(left: number): { budget: BroadcastBudget; refusals: () => number } {
  let refusals = 0;
  const ledger = { take: (_line: unknown, units: number) => Promise.resolve(units <= left), charge: () => undefined };
  const metrics = { countRefusal: () => refusals++ };
  const budgets = new Budgets(ledger as unknown as BudgetLedger, metrics as unknown as BudgetMetrics, settings, {
    now: () => NOON,
  });
  return { budget: new BroadcastBudget(budgets), refusals: () => refusals };
}

it.each([
  [500, 200],
  [130, 100],
  [1, 1],
])('with %i emails left, a step that wants 200 creates %i, and nothing is refused', async (left, emails) => {
  const { budget, refusals } = budgetWith(left);
  expect(await budget.take(OWNER, 200)).toMatchObject({ emails });
  expect(refusals()).toBe(0);
});

it('with none left, a step creates none until midnight in UTC, and counts as one refusal', async () => {
  const { budget, refusals } = budgetWith(0);
  expect(await budget.take(OWNER, 200)).toMatchObject({ emails: 0, renewsAt: new Date('2026-03-02T00:00:00Z') });
  expect(refusals()).toBe(1);
});
