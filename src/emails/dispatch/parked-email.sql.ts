/*
 * Some emails are due far in the future, so that they take no place in the queue and do not count as backlog. An
 * interval is added to their due time, so the original time can be restored. No email is both parked and held.
 */

/** Added for a paused broadcast: the email is parked. */
export const PARKED_FOR = `interval '8760000 hours'`;
/** Added while the providers of an organization refuse its credentials: the email is held. */
export const HELD_FOR = `interval '17520000 hours'`;

/** SQL condition: true for a row `p` of `pending_emails` that is parked or held. */
export const IS_OUT_OF_QUEUE = `p.due_at > now() + interval '8000000 hours'`;

/** SQL condition: true for a row `p` of `pending_emails` that is held. */
export const IS_HELD = `p.due_at > now() + interval '16000000 hours'`;

/** SQL condition: true for a row `p` of `pending_emails` that is parked. */
export const IS_PARKED = `(${IS_OUT_OF_QUEUE} and not ${IS_HELD})`;

/** SQL: what was added to the due time of a row `p` of `pending_emails`. */
export const OUT_OF_QUEUE_FOR = `case when ${IS_HELD} then ${HELD_FOR} when ${IS_OUT_OF_QUEUE} then ${PARKED_FOR} else interval '0' end`;

/** When a row `p` of `pending_emails` is due; null while it is parked or held. */
export const DUE_AT = `case when not ${IS_OUT_OF_QUEUE} then p.due_at end`;
