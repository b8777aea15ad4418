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

/** Changes, which can wait for locks for seconds, and reads, which must not wait behind them. */
const KINDS = ['change', 'read'] as const;
type Kind = (typeof KINDS)[number];

/** The work of one kind of one organization. */
interface Turns {
  running: number;
  /** Each begins one that waits, in the order in which they came. */
  readonly waiting: (() => void)[];
}

type TurnsByKind = Readonly<Record<Kind, Turns>>;

/**
 * Lets each organization use at most half of the connections of a process for each kind of work, and leaves a fifth, at
 * least one, to others. A large batch of emails takes seconds, and whatever needs a row that another transaction has
 * locked waits as long: together, those of one organization would take all connections, and others would get 503. The
 * rest waits without a connection.
 */
export class ConnectionTurns {
  private readonly mostOfKind: number;
  private readonly most: number;
  private readonly organizations = new Map<string, TurnsByKind>();

  /** @param connections of the process; of two, each kind has one */
  constructor(connections: number) {
    this.mostOfKind = Math.max(1, Math.floor(connections / 2));
    this.most = Math.max(2, connections - Math.max(1, Math.floor(connections / 5)));
  }

  /**
   * @param work uses one connection
   * @throws OrganizationBusyError
   */
  async run<Result>(organizationId: string, kind: Kind, work: () => Promise<Result>): Promise<Result> {
    const turns = this.turnsOf(organizationId);
    if (this.mayRun(turns, kind)) turns[kind].running++;
    else await this.turn(organizationId, turns, kind);
    try {
      return await work();
    } finally {
      this.end(organizationId, turns, kind);
    }
  }

  private mayRun(turns: TurnsByKind, kind: Kind): boolean {
    return turns[kind].running < this.mostOfKind && turns.change.running + turns.read.running < this.most;
  }

  private async turn(organizationId: string, turns: TurnsByKind, kind: Kind): Promise<void> {
    const { waiting } = turns[kind];
    let begin!: () => void;
    const begins = new Promise<void>((resolve) => waiting.push((begin = resolve)));
    try {
      await withDeadline(WAIT_MS, begins);
    } catch (error) {
      const at = waiting.indexOf(begin);
      if (at >= 0) waiting.splice(at, 1);
      else this.end(organizationId, turns, kind); // The turn came with the deadline: the next one takes it.
      throw error instanceof DeadlineError ? new OrganizationBusyError() : error;
    }
  }

  private turnsOf(organizationId: string): TurnsByKind {
    const known = this.organizations.get(organizationId);
    if (known) return known;
    const turns = { change: { running: 0, waiting: [] }, read: { running: 0, waiting: [] } };
    this.organizations.set(organizationId, turns);
    return turns;
  }

  /** The next one of its kind takes over the turn; without any, one of the other kind. */
  private end(organizationId: string, turns: TurnsByKind, kind: Kind): void {
    turns[kind].running--;
    for (const next of [kind, ...KINDS]) {
      if (!this.mayRun(turns, next)) continue;
      const begin = turns[next].waiting.shift();
      if (!begin) continue;
      turns[next].running++;
      return begin();
    }
    if (KINDS.every((one) => turns[one].running === 0)) this.organizations.delete(organizationId);
  }
}
