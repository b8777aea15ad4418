import { Module } from '@nestjs/common';
import { BudgetsModule } from './budgets.module.js';
import { UsageController } from './usage.controller.js';

/** The route that shows the usage of budgets. */
@Module({ imports: [BudgetsModule], controllers: [UsageController] })
export class UsageModule {}
