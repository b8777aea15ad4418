import { IS_REPORTED } from '../recipients/recipient-state.sql.js';

/*
 * Conditions on a row `r` of `recipient_deliveries` of a pending email: what reports say about an attempt with an
 * unknown outcome. Reports about attempts before the email was retried say nothing. Some providers report whole
 * seconds. More exact times also come from us: an address that does not exist may be retried within a second.
 */

/** @param pending its row of `pending_emails`, also one that was deleted */
const isReportedSince = (pending: string): string =>
  `(${IS_REPORTED} and r.fact_at >= case when r.fact_at = date_trunc('second', r.fact_at)
    then date_trunc('second', ${pending}.queued_at) else ${pending}.queued_at end)`;

/** The attempt reached the recipient, who had a result of their own: deferred, or of a separate message. */
export const isReachedInDoubt = (pending: string): string => `(r.state = 'deferred' and ${isReportedSince(pending)})`;

/** The attempt may have reached the recipient, who has such a result. */
export const isLeftInDoubt = (pending: string): string =>
  `(r.state = 'deferred' and ${isReportedSince(pending)} is not true)`;

/** The attempt reached the recipient, and so all others without a result: they share a message. */
export const provesSharedMessage = (pending: string): string =>
  `(r.state = 'accepted' and ${pending}.provider_id is null and ${isReportedSince(pending)})`;
