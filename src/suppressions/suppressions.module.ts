import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { SuppressionBudget } from './suppression-budget.js';
import { SuppressionTransfers } from './suppression-transfers.js';
import { Suppressions } from './suppressions.js';
import { SuppressionsController } from './suppressions.controller.js';

/** Routes of the suppression list. */
@Module({
  imports: [OrganizationsModule],
  controllers: [SuppressionsController],
  providers: [Suppressions, SuppressionBudget, SuppressionTransfers],
})
export class SuppressionsModule {}
