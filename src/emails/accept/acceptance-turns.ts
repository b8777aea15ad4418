import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

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

  /** @param store uses one connection */
  async run<Result>(organizationId: string, store: () => Promise<Result>): Promise<Result> {
    const turns = this.turnsOf(organizationId);
    if (turns.running < this.most) turns.running++;
    else await new Promise<void>((begin) => turns.waiting.push(begin));
    try {
      return await store();
    } finally {
      this.end(organizationId, turns);
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
