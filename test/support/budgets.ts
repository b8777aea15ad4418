import { pino } from 'pino';
import { Registry } from 'prom-client';
import { BudgetLedger } from '../../src/organizations/budgets/budget-ledger.js';
import { BudgetMetrics } from '../../src/organizations/budgets/budget-metrics.js';
import { BudgetShares } from '../../src/organizations/budgets/budget-shares.js';
import { BudgetWarnings } from '../../src/organizations/budgets/budget-warnings.js';
import { Budgets } from '../../src/organizations/budgets/budgets.js';
import { systemClock, type Clock } from '../../src/platform/clock/clock.js';
import { readSettings } from '../../src/platform/config/settings.js';
import type { Database } from '../../src/platform/database/database.js';

/** Budgets as an additional process would spend them. They return unused shares only when `ledger` does. */
export function testBudgets(
  database: Database,
  environment: Record<string, string> = {},
  clock: Clock = systemClock,
): { budgets: Budgets; ledger: BudgetLedger } {
  const logger = pino({ level: 'silent' });
  const metrics = new BudgetMetrics(new Registry());
  const warnings = new BudgetWarnings(metrics, logger);
  const ledger = new BudgetLedger(new BudgetShares(database), warnings, database, logger);
  const settings = readSettings({ ROLES: 'flusher', ...environment });
  return { budgets: new Budgets(ledger, metrics, settings, clock), ledger };
}
