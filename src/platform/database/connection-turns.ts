import { DeadlineError, withDeadline } from '../clock/with-deadline.js';
import { DomainError } from '../errors/domain-error.js';

/** How long work waits for a turn: as long as for a connection. */
const WAIT_MS = 5_000;

class OrganizationBusyError extends DomainError {
  override readonly retryAfterSeconds = 1;

  constructor() {
    super('unavailable', 'Earlier requests of this organization are still in progress. Try again in a moment');
  }
}

/** The work of one organization. */
interface Turns {
  running: number;
  /** Each begins one that waits, in the order in which they came. */
  readonly waiting: (() => void)[];
}

/**
 * Lets each organization use at most half of the connections of a process. A large batch of emails takes seconds, and
 * whatever needs a row that another transaction has locked waits as long: together, those of one organization would take
 * all connections, and others would get 503. The rest waits without a connection.
 */
export class ConnectionTurns {
  private readonly most: number;
  private readonly turns = new Map<string, Turns>();

  /** @param connections of the process */
  constructor(connections: number) {
    this.most = Math.max(1, Math.floor(connections / 2));
  }

  /**
   * @param work uses one connection
   * @throws OrganizationBusyError
   */
  async run<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
    const turns = this.turnsOf(organizationId);
    if (turns.running < this.most) turns.running++;
    else await this.turn(organizationId, turns);
    try {
      return await work();
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
      throw error instanceof DeadlineError ? new OrganizationBusyError() : error;
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
