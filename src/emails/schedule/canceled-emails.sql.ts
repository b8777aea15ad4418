import { appendSent } from '../../campaigns/stats/append-stats.sql.js';
import { isOwnProvider } from '../../organizations/providers/own-provider-id.sql.js';
import { UNKNOWN_OUTCOME } from '../delivery/unknown-outcome-reason.js';
import { isReachedInDoubt } from '../delivery/reports-in-doubt.sql.js';

/** Operators find it, or the recipients in doubt, among those with an unknown outcome (`email doubtful list`). */
const CANCELED_WITH_UNKNOWN_OUTCOME = `${UNKNOWN_OUTCOME}: it was canceled before it was sent again`;

/**
 * True for an email that was attempted, and on which the provider has reported since: it has the email, whatever its
 * response was, as in `LoadedEmail`. An array keeps this a lookup: `exists` may read the table.
 */
const wasReported = (pending: string): string => `(
  (${pending}.attempts > 0 or ${pending}.possible_duplicate) and ${pending}.provider_id is null
  and true = any(array(
    select r.state = 'accepted' or (${pending}.possible_duplicate and ${isReachedInDoubt(pending)})
      from recipient_deliveries r where r.email_id = ${pending}.email_id)))`;

/**
 * True for a pending email that may have reached somebody, or has. It is never called canceled: that would say that
 * nobody got it.
 */
export const MAY_HAVE_REACHED = `(p.possible_duplicate or p.provider_id is not null or ${wasReported('p')})`;

/** True if an email that leaves the queue has reached a recipient. @param gone its former pending row */
export const hasReached = (gone: string): string => `(${gone}.provider_id is not null or ${wasReported(gone)})`;

/**
 * Assignments to an email that leaves the queue before it is final. It is canceled if it certainly reached nobody,
 * `sent` if it has reached a recipient, and fails if it may have. It gets no second copy, so its flag stays as it is.
 * @param gone its former pending row
 */
export function endedEmail(gone: string): string {
  const [reached, isUnknown] = [hasReached(gone), `${gone}.possible_duplicate`];
  return `status = case when ${reached} then 'sent' when ${isUnknown} then 'failed' else 'canceled' end,
         sent_at = case when ${reached} then now() end,
         failed_at = case when not (${reached}) and ${isUnknown} then now() end,
         canceled_at = case when not (${reached}) and not ${isUnknown} then now() end,
         attempts = ${gone}.attempts, own_provider = coalesce(${isOwnProvider(`${gone}.provider`)}, e.own_provider)`;
}

/**
 * CTEs that end the pending emails that the CTE `free` has locked: `gone`, `locked`, `ended`, `doubtful`, `email` and
 * `counted_sent`. They find rows by arrays, because a join of a batch reads whole tables of up to some 300,000 rows.
 * @param returned columns of the emails, which are called `e`
 */
export function canceledEmails(returned: string): string {
  return `gone as (
  delete from pending_emails p where p.email_id = any(array(select email_id from free))
  returning p.email_id, p.attempts, p.provider_id, p.provider, p.last_error, p.possible_duplicate, p.queued_at
), locked as (
  select e.id from emails e where e.id = any(array(select email_id from gone)) order by e.id for no key update
), ended as (
  update emails e
     set ${endedEmail('gone')},
         provider_id = case when ${wasReported('gone')} then e.id::text else gone.provider_id end,
         last_error = case when ${hasReached('gone')} then null
                           when gone.possible_duplicate then '${CANCELED_WITH_UNKNOWN_OUTCOME}' else gone.last_error end
    from gone where e.id = gone.email_id and e.id = any(array(select id from locked))
  returning e.*
), doubtful as (
  update recipient_deliveries r
     set state = 'refused', updated_at = now(),
         reason = case when r.fact_at is null then '${CANCELED_WITH_UNKNOWN_OUTCOME}' else r.reason end
   where r.state = 'deferred' and r.email_id = any(array(
     select gone.email_id from gone join locked on locked.id = gone.email_id
      where gone.possible_duplicate and ${hasReached('gone')}))
), email as (
  select ${returned} from ended e
), counted_sent as (
  ${appendSent('ended')}
)`;
}
