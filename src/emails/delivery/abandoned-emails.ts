import { Injectable } from '@nestjs/common';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { Database } from '../../platform/database/database.js';
import { DISPATCHED_SINCE } from '../dispatch/queue-positions.sql.js';
import { DISPATCHED, toDispatched, type DispatchedEmail, type DispatchedRow } from '../dispatch/dispatched-email.js';
import { EMAIL_LEASE_MS, type Lease } from './lease.js';

/**
 * If recovery has not run for this long, Postgres was down or has just failed over. Leases of live workers, which
 * have at least half of their time left, may have expired since.
 */
const OUTAGE = `interval '15 s'`;
/** After an outage workers get this long to record their outcomes before their leases count as expired. */
const GRACE = `interval '15 s'`;

/** True for a lease of recovery, which knows no outcome: its tokens have version 7, those of workers version 4. */
const IS_RECOVERY = `substr(lease_token::text, 15, 1) = '7'`;

/** How often recovery ignores the lower bound and scans all dispatched emails. */
const FULL_SCAN_MS = 600_000;

/** A lease taken over from a worker that lost it. */
export interface AbandonedLease extends Lease {
  readonly attempts: number;
}

/**
 * Finds emails whose worker or job is lost. All times are those of the Postgres clock. Only dispatched emails are
 * scanned, so the cost is bounded by the queue, not by the backlog.
 */
@Injectable()
export class AbandonedEmails {
  private readonly fullScanAt = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /**
   * Takes over emails in `sending` whose lease has expired. Takes none for a while after an outage.
   * @param afterMs how long ago the leases of workers must have expired: until then, their outcomes may still arrive
   */
  async takeOver(limit: number, afterMs = 0): Promise<AbandonedLease[]> {
    const token = uuidV7(Date.now());
    const rows = await this.database.query<{ id: string; attempts: number }>(
      `with recovery as (
         update dispatch_window
            set recovery_since = case when recovery_at < now() - ${OUTAGE} then now() else recovery_since end,
                recovery_at = now()
         returning coalesce(recovery_since < now() - ${GRACE}, true) as may_take_over
       )
       update pending_emails p
          set doubt_token = case when ${IS_RECOVERY} then doubt_token else lease_token end, lease_token = $1,
              lease_until = now() + $2 * interval '1 ms', crashes = crashes + 1
        where email_id = any(array(
          select email_id from pending_emails
           where dispatched_at >= ${since('$4')} and (select may_take_over from recovery)
             and lease_until < now() - case when ${IS_RECOVERY} then 0 else $5 end * interval '1 ms'
           order by dispatched_at limit $3 for update skip locked))
        returning email_id as id, attempts`,
      [token, EMAIL_LEASE_MS, limit, this.isFullScan('leases'), afterMs],
    );
    return rows.map(({ id, attempts }) => ({ emailId: id, token, attempts }));
  }

  /** Emails whose job is `overdueMs` late, oldest first. Each is returned again only after the same delay. */
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
      [overdueMs, limit, this.isFullScan('jobs')],
    );
    return rows.map(toDispatched);
  }

  /** The first scan of a process covers everything. */
  private isFullScan(kind: 'leases' | 'jobs'): boolean {
    const now = performance.now();
    const isDue = now - (this.fullScanAt.get(kind) ?? -Infinity) > FULL_SCAN_MS;
    if (isDue) this.fullScanAt.set(kind, now);
    return isDue;
  }
}

/** The lower bound of `dispatched_at`. @param all true for no bound */
const since = (all: string): string => `case when ${all}::boolean then '-infinity' else ${DISPATCHED_SINCE} end`;
