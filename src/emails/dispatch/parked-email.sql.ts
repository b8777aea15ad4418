/*
 * The emails of a paused broadcast are due far in the future, so that they take no place in the queue and do not count
 * as backlog. Parking adds this interval to the due time, so the original time can be restored.
 */
export const PARKED_FOR = `interval '8760000 hours'`;

/** SQL condition: true for a row `p` of `pending_emails` that is parked. */
export const IS_PARKED = `p.due_at > now() + interval '8000000 hours'`;

/** When a row `p` of `pending_emails` is due; null while it is parked. */
export const DUE_AT = `case when not ${IS_PARKED} then p.due_at end`;
