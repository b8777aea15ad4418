import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { LEASE_MS, type Lease } from './delivery-state.js';
import { DISPATCHED, toDispatched, type DispatchedEmail, type DispatchedRow } from './dispatched-email.js';

/** After Postgres was away, workers get so long to tell what happened meanwhile before their leases count as over. */
const GRACE_AFTER_START = `interval '15 s'`;

/** A lease on an email that its former holder gave up. */
export interface StrandedLease extends Lease {
  readonly attempts: number;
}

/**
 * Emails that nobody works on although somebody should. All times are those of Postgres. Only what is dispatched is
 * looked at, of which there is never more than the queue holds, however long the backlog.
 */
@Injectable()
export class StrandedEmails {
  constructor(private readonly database: Database) {}

  /** Emails in `sending` whose lease ran out, now leased under `token`. */
  async takeOver(token: string, limit: number): Promise<StrandedLease[]> {
    const rows = await this.database.query<{ id: string; attempts: number }>(
      `update pending_emails p
          set doubt_token = lease_token, lease_token = $1, lease_until = now() + $2 * interval '1 ms',
              crashes = crashes + 1
        where email_id = any(array(
          select email_id from pending_emails
           where dispatched_at is not null and lease_until < now()
             and pg_postmaster_start_time() < now() - ${GRACE_AFTER_START}
           order by organization_id, dispatched_at limit $3 for update skip locked))
        returning email_id as id, attempts`,
      [token, LEASE_MS, limit],
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
             where dispatched_at < now() - $1 * interval '1 ms' and lease_token is null
             order by dispatched_at limit $2 for update skip locked))
          returning ${DISPATCHED}, coalesce(p.place, 0) as place
       )
       select * from late`,
      [overdueMs, limit],
    );
    return rows.map(toDispatched);
  }
}
