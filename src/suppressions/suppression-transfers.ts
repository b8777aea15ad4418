import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { OrganizationTransfers } from '../platform/http/organization-transfers.js';
import { exportSuppressions } from './export-suppressions.js';
import { SuppressionBudget } from './suppression-budget.js';
import type { SuppressionFilter } from './suppression-requests.js';
import { importSuppressions, type ImportResult } from './import-suppressions.js';

/** Imports and exports of whole lists. */
@Injectable()
export class SuppressionTransfers {
  private readonly transfers = new OrganizationTransfers();

  constructor(
    private readonly database: Database,
    private readonly budget: SuppressionBudget,
  ) {}

  /** @throws TransferInProgressError, BudgetExceededError, and what `importSuppressions` throws */
  async import(caller: Caller, file: AsyncIterable<Uint8Array>): Promise<ImportResult> {
    const end = this.transfers.begin('import', caller.organizationId);
    try {
      return await importSuppressions(this.database, authorOf(caller), file, (rows, store) =>
        this.budget.spend(caller, rows, store),
      );
    } finally {
      end();
    }
  }

  /**
   * The entries that match, as a CSV file.
   * @throws TransferInProgressError
   */
  export(organizationId: string, filter: SuppressionFilter): Promise<Readable> {
    return this.transfers.export(organizationId, exportSuppressions(this.database, organizationId, filter));
  }
}
