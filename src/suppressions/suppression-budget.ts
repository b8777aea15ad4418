import { Injectable } from '@nestjs/common';
import { ROW_BYTES } from '../organizations/budgets/budget.js';
import { Budgets, type BudgetOwner } from '../organizations/budgets/budgets.js';
import type { SuppressionInput } from './insert-suppressions.js';

/** The stored bytes that suppression lists use from the budget of their organizations: a list has no other limit. */
@Injectable()
export class SuppressionBudget {
  constructor(private readonly budgets: Budgets) {}

  /**
   * Takes the bytes that the rows need, then stores them. Returns the bytes of rows that were already known.
   * @throws BudgetExceededError
   */
  async spend<Result extends { readonly added: number }>(
    owner: BudgetOwner,
    rows: readonly SuppressionInput[],
    store: () => Promise<Result>,
  ): Promise<Result> {
    const bytes = rows.reduce((sum, { address, note }) => sum + ROW_BYTES + address.length + byteLength(note), 0);
    // An estimate: most rows are about as long, as they share their note.
    const storedBytes = ({ added }: Result): number => Math.round((bytes * added) / Math.max(1, rows.length));
    return this.budgets.spendBytes(owner, bytes, store, storedBytes);
  }
}

const byteLength = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text));
