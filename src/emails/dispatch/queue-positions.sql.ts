/*
 * SQL for the queue of emails that have a job: how positions are numbered, and where scans start.
 * Finished emails leave dead rows, which remain as long as any session holds an older snapshot; pg_dump does so for
 * hours. Scans of dispatched emails therefore start at a lower bound that `dispatch_window` keeps. They skip the dead
 * rows of a whole day and visit only those of the last seconds.
 */

/**
 * From the first bound on, positions restart when few emails are queued; from the second on, in any case. Both lie
 * below 41 million, the last position that BullMQ can order with turns of 20.
 */
export const RESTARTED_WHEN_SHORT_AT = 1_000_000;
export const ALWAYS_RESTARTED_AT = 20_000_000;
export const SHORT_QUEUE = 1_000;

/**
 * No email is further behind the front than this, unless its position is from before a restart. An organization has at
 * most the window in the queue, plus the emails that it sends in the meantime.
 */
export const MAX_DISTANCE = 500_000;

/** Longer than a dispatching statement may take to commit (15 s), because uncommitted rows are not visible yet. */
const LATE_COMMITS = `interval '20 s'`;
/** The same for positions only: a row that commits even later affects only the order. */
const LATE_POSITIONS = `interval '2 s'`;

/** A bound in the future, left from before the Postgres clock was set back, is ignored. */
const bound = (column: string, late: string): string =>
  `(select case when ${column} <= now() - ${late} + interval '1 s' then ${column} else '-infinity' end from dispatch_window)`;

/** Every dispatched email was dispatched at this time or later. */
export const DISPATCHED_SINCE = bound('dispatched_since', LATE_COMMITS);
/** Every email that waits for a worker was dispatched at this time or later. */
export const UNCLAIMED_SINCE = bound('unclaimed_since', LATE_POSITIONS);

/** The new bounds. @param oldest SQL expression for the time of the oldest email found */
export const nextDispatchedSince = (oldest: string): string => `least(${oldest}, now() - ${LATE_COMMITS})`;
export const nextUnclaimedSince = (oldest: string): string => `least(${oldest}, now() - ${LATE_POSITIONS})`;
