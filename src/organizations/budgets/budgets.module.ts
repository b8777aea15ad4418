import { Global, Module } from '@nestjs/common';
import { BudgetLedger } from './budget-ledger.js';
import { BudgetMetrics } from './budget-metrics.js';
import { BudgetShares } from './budget-shares.js';
import { BudgetWarnings } from './budget-warnings.js';
import { ItemBudgets } from './item-budgets.js';
import { RenderBudget } from './render-budget.js';
import { Budgets } from './budgets.js';

/** The budgets of organizations, for all roles that spend them. */
@Global()
@Module({
  providers: [BudgetMetrics, BudgetShares, BudgetWarnings, BudgetLedger, Budgets, ItemBudgets, RenderBudget],
  exports: [BudgetLedger, BudgetWarnings, Budgets, ItemBudgets, RenderBudget],
})
export class BudgetsModule {}
