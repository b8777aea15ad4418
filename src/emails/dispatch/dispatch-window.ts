import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { toDispatched, type DispatchedEmail, type DispatchedRow } from './dispatched-email.js';
import { FEED, TAKE_TURN } from './feed-statement.js';

interface FeedRow {
  epoch: string;
  known: boolean;
  beginsAnew: boolean;
  nextDueInMs: number | null;
  fed: DispatchedRow[];
}

/** What a round of feeding brought. */
export interface Feed {
  /** False when somebody else feeds at this moment. */
  readonly ours: boolean;
  /** False when the jobs are those of another time: `epoch` is that of Postgres. */
  readonly known: boolean;
  readonly epoch: string;
  /** True when the line begins anew: nothing was fed, and another round is worth while at once. */
  readonly beginsAnew: boolean;
  /** Emails that now count as dispatched; those that go first come first. */
  readonly fed: readonly DispatchedEmail[];
  /** Milliseconds until an email that waits is due; zero or less when one is. Undefined when none waits. */
  readonly nextDueInMs?: number;
}

/** The emails that have a job: a bounded choice of those that are due. Any number of processes may call this. */
@Injectable()
export class DispatchWindow {
  constructor(private readonly database: Database) {}

  /** @param epoch what Redis holds; where Postgres holds another, nothing is fed */
  async feed(places: number, epoch: string): Promise<Feed> {
    return this.database.transaction(async (sql) => {
      const [turn] = await sql.prepared<{ ours: boolean }>('take-turn', TAKE_TURN, []);
      if (!turn!.ours) return { ours: false, known: true, beginsAnew: false, epoch, fed: [] };
      const [row] = await sql.prepared<FeedRow>('feed-emails', FEED, [places, epoch]);
      const { nextDueInMs, fed, ...state } = row!;
      return { ours: true, ...state, fed: fed.map(toDispatched), ...(nextDueInMs !== null && { nextDueInMs }) };
    });
  }

  /**
   * Redis did not take their jobs, or did not say so: they wait again. Under the same generation: a job that is there
   * after all is not made twice.
   */
  async giveBack(emails: readonly DispatchedEmail[]): Promise<void> {
    await this.database.query(
      `update pending_emails p set dispatched_at = null
        where email_id = any(array(
          select p.email_id from unnest($1::uuid[], $2::integer[]) as b (id, generation)
            join pending_emails p on p.email_id = b.id and p.generation = b.generation
           where p.lease_token is null order by p.email_id for update of p))`,
      [emails.map(({ emailId }) => emailId), emails.map(({ generation }) => generation)],
    );
  }

  /** What Redis should hold. */
  async epoch(): Promise<string> {
    const [row] = await this.database.query<{ epoch: string }>('select epoch from dispatch_window');
    return row!.epoch;
  }

  /**
   * Redis lost the jobs: nothing counts as dispatched any more, and a new epoch begins. Emails that a worker holds
   * stay with it. Jobs that Redis has after all find another one's claim, so nothing is sent twice.
   * @returns the new epoch and how many emails lost their job, or undefined when somebody else has begun one
   */
  async beginEpoch(lost: string): Promise<{ epoch: string; emails: number } | undefined> {
    return this.database.transaction(async (sql) => {
      const [row] = await sql.query<{ epoch: string }>(
        'update dispatch_window set epoch = gen_random_uuid() where epoch = $1 returning epoch',
        [lost],
      );
      if (!row) return undefined;
      const requeued = await sql.query(
        `update pending_emails set dispatched_at = null, generation = generation + 1
          where email_id = any(array(
            select email_id from pending_emails where dispatched_at is not null and lease_token is null
             order by organization_id, dispatched_at for update skip locked))
          returning 1 as requeued`,
      );
      return { epoch: row.epoch, emails: requeued.length };
    });
  }
}
