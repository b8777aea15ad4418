import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { toDispatched, type DispatchedEmail, type DispatchedRow } from './dispatched-email.js';
import { FEED, TRY_FEED_LOCK } from './feed-statement.js';

interface FeedRow {
  epoch: string;
  known: boolean;
  restarted: boolean;
  nextDueInMs: number | null;
  fed: DispatchedRow[];
}

/** The result of one feeding round. */
export interface Feed {
  /** False when another process holds the feeder lock. */
  readonly acquired: boolean;
  /** False when Redis holds a different epoch; `epoch` is then the one of Postgres. */
  readonly known: boolean;
  readonly epoch: string;
  /** True when positions restart: nothing was fed, and the next round follows at once. */
  readonly restarted: boolean;
  /** The newly dispatched emails, in sending order. */
  readonly fed: readonly DispatchedEmail[];
  /** Milliseconds until the next waiting email is due; zero or less when one is due now. Undefined when none waits. */
  readonly nextDueInMs?: number;
}

/** Manages the bounded set of emails that have a job. Any number of processes may call it. */
@Injectable()
export class DispatchWindow {
  constructor(private readonly database: Database) {}

  /**
   * @param epoch the epoch in Redis; nothing is fed if Postgres holds a different one
   * @param slowIntervalMs time between two emails of a slowed-down organization
   */
  async feed(capacity: number, epoch: string, slowIntervalMs = 1_000): Promise<Feed> {
    return this.database.transaction(async (sql) => {
      const [lock] = await sql.prepared<{ acquired: boolean }>('take-turn', TRY_FEED_LOCK, []);
      if (!lock!.acquired) return { acquired: false, known: true, restarted: false, epoch, fed: [] };
      const [row] = await sql.prepared<FeedRow>('feed-emails', FEED, [capacity, epoch, slowIntervalMs]);
      const { nextDueInMs, fed, ...state } = row!;
      return { acquired: true, ...state, fed: fed.map(toDispatched), ...(nextDueInMs !== null && { nextDueInMs }) };
    });
  }

  /**
   * Returns emails to the backlog when Redis rejected their jobs or did not respond. The generation stays, so a job
   * that exists after all is not created twice.
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

  /** The epoch that Redis should hold. */
  async epoch(): Promise<string> {
    const [row] = await this.database.query<{ epoch: string }>('select epoch from dispatch_window');
    return row!.epoch;
  }

  /**
   * Starts a new epoch after Redis lost its jobs: nothing counts as dispatched any more. Emails that a worker holds
   * stay with it. A job that Redis still has finds its email claimed, so nothing is sent twice.
   * @returns the new epoch and how many emails lost their job, or undefined when another process has started one
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
