import { Injectable } from '@nestjs/common';
import { requesterFor, type Requester, type WaitingClient } from '../../rendering/fair-queue.js';
import { Budgets, type BudgetOwner, type Spending } from './budgets.js';

/** The time that a document counts until its actual time is known: the maximum. */
const RESERVED_MS = 2_000;
/** The part of a small budget that a document counts: it must allow a few documents at once. */
const DOCUMENTS_AT_ONCE = 10;

/** The documents of one request. Once the budget has allowed one of them, it refuses no other. */
export interface DocumentsTogether {
  isAllowed: boolean;
}

interface Owner extends BudgetOwner, WaitingClient {
  readonly documents?: DocumentsTogether;
}

/** The time that requests of an organization spend in rendering threads. */
@Injectable()
export class RenderBudget {
  constructor(private readonly budgets: Budgets) {}

  /**
   * Renders for a request, and counts the time.
   * @throws BudgetExceededError
   */
  async spend<Result>(owner: Owner, render: (requester: Requester) => Promise<Result>): Promise<Result> {
    const spending = await this.allow(owner);
    let spentMs = 0;
    try {
      const charge = (milliseconds: number): void => void (spentMs += milliseconds);
      return await render({ ...requesterFor(owner), charge });
    } finally {
      spending.correct(spentMs);
    }
  }

  private async allow(owner: Owner): Promise<Spending> {
    const { documents } = owner;
    if (documents?.isAllowed) return this.budgets.takeLater(owner, 'renderSecondsPerMinute');
    const limit = this.budgets.limitOf(owner, 'renderSecondsPerMinute') ?? Infinity;
    const reserved = Math.ceil(Math.min(RESERVED_MS, limit / DOCUMENTS_AT_ONCE));
    const spending = await this.budgets.take(owner, 'renderSecondsPerMinute', reserved);
    if (documents) documents.isAllowed = true;
    return spending;
  }
}
