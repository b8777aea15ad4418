import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { EMAIL_LEASE_MS } from './delivery-state.js';
import { DISPATCHED_SINCE } from '../dispatch/dispatch-line.js';
import { DISPATCHED, toDispatched, type DispatchedEmail, type DispatchedRow } from '../dispatch/dispatched-email.js';
import type { Lease } from './lease.js';

/**
 * A recovery that has not run for so long had no Postgres to run on, or one that has just been promoted: leases of
 * workers that live, which have half of their time left at least, may have run out since.
 */
const OUTAGE = `interval '15 s'`;
/** Then workers get so long to tell what happened meanwhile before their leases count as over. */
const GRACE = `interval '15 s'`;

/** How often recovery trusts no bound and looks at all that is dispatched. */
const LOOK_AT_ALL_MS = 600_000;

/** A lease on an email that its former holder gave up. */
export interface StrandedLease extends Lease {
  readonly attempts: number;
}

/**
 * Emails that nobody works on although somebody should. All times are those of Postgres. Only what is dispatched is
 * looked at, of which there is never more than the queue holds, however long the backlog.
 */
@Injectable()
export class AbandonedEmails {
  private readonly lookedAtAllAt = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /** Emails in `sending` whose lease ran out, now leased under `token`. None for a while after an outage. */
  async takeOver(token: string, limit: number): Promise<StrandedLease[]> {
    const rows = await this.database.query<{ id: string; attempts: number }>(
      `with recovery as (
         update dispatch_window
            set recovery_since = case when recovery_at < now() - ${OUTAGE} then now() else recovery_since end,
                recovery_at = now()
         returning coalesce(recovery_since < now() - ${GRACE}, true) as may_take_over
       )
       update pending_emails p
          set doubt_token = lease_token, lease_token = $1, lease_until = now() + $2 * interval '1 ms',
              crashes = crashes + 1
        where email_id = any(array(
          select email_id from pending_emails
           where dispatched_at >= ${since('$4')} and lease_until < now() and (select may_take_over from recovery)
           order by dispatched_at limit $3 for update skip locked))
        returning email_id as id, attempts`,
      [token, EMAIL_LEASE_MS, limit, this.looksAtAll('leases')],
    );
    return rows.map(({ id, attempts }) => ({ emailId: id, token, attempts }));
  }

  /** The email is final already: a worker that knew nothing of its pending row has ended it. */
  async forget({ emailId, token }: Lease): Promise<void> {
    await this.database.query('delete from pending_emails where email_id = $1 and lease_token = $2', [emailId, token]);
  }

  /** Emails whose job should have run `overdueMs` ago, longest first. Each is named again only after as long a time. */
  async overdue(overdueMs: number, limit: number): Promise<DispatchedEmail[]> {
    const rows = await this.database.query<DispatchedRow>(
      `with late as (
         update pending_emails p set dispatched_at = now()
          where email_id = any(array(
            select email_id from pending_emails
             where dispatched_at >= ${since('$3')} and dispatched_at < now() - $1 * interval '1 ms'
               and lease_token is null
             order by dispatched_at limit $2 for update skip locked))
          returning ${DISPATCHED}, coalesce(p.place, 0) as place
       )
       select * from late`,
      [overdueMs, limit, this.looksAtAll('jobs')],
    );
    return rows.map(toDispatched);
  }

  /** The first look of a process is one at all. */
  private looksAtAll(what: 'leases' | 'jobs'): boolean {
    const now = performance.now();
    const isDue = now - (this.lookedAtAllAt.get(what) ?? -Infinity) > LOOK_AT_ALL_MS;
    if (isDue) this.lookedAtAllAt.set(what, now);
    return isDue;
  }
}

/** Where the dispatched emails begin. @param all true for no bound */
const since = (all: string): string => `case when ${all}::boolean then '-infinity' else ${DISPATCHED_SINCE} end`;
