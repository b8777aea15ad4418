import { Injectable } from '@nestjs/common';
import { DeadlineError, withDeadline } from '../../platform/clock/with-deadline.js';
import { Database } from '../../platform/database/database.js';
import { DomainError } from '../../platform/errors/domain-error.js';

/** How long emails wait for a turn: as long as for a connection. */
const WAIT_MS = 5_000;

class StoringTakesLongError extends DomainError {
  override readonly retryAfterSeconds = 1;

  constructor() {
    super('unavailable', 'Earlier emails of this organization are still being stored. Try again in a moment');
  }
}

/** Statements and transactions of one organization. */
interface Turns {
  running: number;
  /** Each begins one that waits, in the order in which they came. */
  readonly waiting: (() => void)[];
}

/**
 * Lets the emails of one organization be stored on at most half of the connections of this process. A large batch takes
 * seconds, and an email to a contact that is being erased waits as long: together, those of one organization would take
 * all connections, and others would get 503. The rest waits without a connection.
 */
@Injectable()
export class AcceptanceTurns {
  private readonly most: number;
  private readonly turns = new Map<string, Turns>();

  constructor(database: Database) {
    this.most = Math.max(1, Math.floor(database.pool.options.max / 2));
  }

  /**
   * @param store uses one connection
   * @throws StoringTakesLongError
   */
  async run<Result>(organizationId: string, store: () => Promise<Result>): Promise<Result> {
    const turns = this.turnsOf(organizationId);
    if (turns.running < this.most) turns.running++;
    else await this.turn(organizationId, turns);
    try {
      return await store();
    } finally {
      this.end(organizationId, turns);
    }
  }

  private async turn(organizationId: string, turns: Turns): Promise<void> {
    let begin!: () => void;
    const begins = new Promise<void>((resolve) => turns.waiting.push((begin = resolve)));
    try {
      await withDeadline(WAIT_MS, begins);
    } catch (error) {
      const at = turns.waiting.indexOf(begin);
      if (at >= 0) turns.waiting.splice(at, 1);
      else this.end(organizationId, turns); // The turn came with the deadline: the next one takes it.
      throw error instanceof DeadlineError ? new StoringTakesLongError() : error;
    }
  }

  private turnsOf(organizationId: string): Turns {
    const turns = this.turns.get(organizationId) ?? { running: 0, waiting: [] };
    this.turns.set(organizationId, turns);
    return turns;
  }

  /** The next one takes over the turn. */
  private end(organizationId: string, turns: Turns): void {
    const begin = turns.waiting.shift();
    if (begin) return begin();
    turns.running--;
    if (turns.running === 0) this.turns.delete(organizationId);
  }
}
