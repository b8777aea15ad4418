import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import type { Caller } from '../api-key-authenticator.js';
import { KeyGuard } from '../api-key.guard.js';
import { CurrentCaller } from '../current-caller.js';
import { BudgetLedger } from './budget-ledger.js';
import { Budgets } from './budgets.js';
import { readUsage, type UsageView } from './usage.js';
import { usageDocs } from './usage-docs.js';

@Controller('api/usage')
@UseGuards(KeyGuard)
export class UsageController {
  constructor(
    private readonly budgets: Budgets,
    private readonly ledger: BudgetLedger,
    private readonly database: Database,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @usageDocs.get
  async get(@CurrentCaller() caller: Caller): Promise<UsageView> {
    await this.ledger.giveBack(0, caller.organizationId);
    return readUsage(this.database, caller, (budget) => this.budgets.limitOf(caller, budget), this.clock.now());
  }
}
