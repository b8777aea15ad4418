import type { Sql } from '../../platform/database/database.js';
import { DUE_AT } from '../dispatch/parked-email.sql.js';
import { RECIPIENTS_IN_DOUBT, SENT_IN_DOUBT } from './doubtful-recipients.js';
import { AWAITS_RESEND, IS_UNKNOWN } from './unknown-outcome.sql.js';

/** An email whose delivery outcome is unknown and which is not settled yet. */
export interface UnknownOutcome {
  readonly id: string;
  readonly trackingId: string;
  readonly organizationId: string;
  /** The recipients in doubt, in all fields. */
  readonly to: readonly string[];
  readonly subject: string;
  /**
   * `waiting`: it is resent at `resendAt`; `failed`: it is not; `sent`: other recipients have it, and it is not resent.
   */
  readonly state: 'waiting' | 'failed' | 'sent';
  readonly reason: string | null;
  readonly acceptedAt: Date;
  /** Null while its broadcast is paused. */
  readonly resendAt: Date | null;
}

/** Oldest first. */
export function listUnknownOutcomes(sql: Sql, organizationId: string | null, limit: number): Promise<UnknownOutcome[]> {
  return sql.query<UnknownOutcome & { [column: string]: unknown }>(
    `with unknown as (
       (select e.id, 'failed' as state, e.last_error as reason, null::timestamptz as resend_at,
               null::text[] as addresses from emails e
         where ${IS_UNKNOWN} and ($1::uuid is null or e.organization_id = $1) order by e.id limit $2)
       union all
       (select p.email_id, 'waiting', p.last_error, ${DUE_AT}, null from pending_emails p
         where ${AWAITS_RESEND} and ($1::uuid is null or p.organization_id = $1) order by p.email_id limit $2)
       union all
       (${SENT_IN_DOUBT})
     )
     select e.id, e.tracking_id as "trackingId", e.organization_id as "organizationId",
            coalesce(u.addresses, (${RECIPIENTS_IN_DOUBT}), c.to_addresses) as "to", c.subject, u.state, u.reason,
            e.created_at as "acceptedAt", u.resend_at as "resendAt"
       from unknown u
       join emails e on e.id = u.id
       join email_contents c on c.email_id = e.id
       left join pending_emails p on p.email_id = e.id
      order by e.id limit $2`,
    [organizationId, limit],
  );
}
