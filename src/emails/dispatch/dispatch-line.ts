/*
 * The line of the emails that have a job, as statements see it: how it is numbered, and where those begin that are
 * still in it. Emails that are over leave dead rows, which stay for as long as anybody holds a snapshot from before,
 * as pg_dump does for hours. Whoever looks at dispatched emails therefore begins at a time from which on all of them
 * were dispatched, which `dispatch_window` keeps, and walks through the dead rows of seconds instead of those of a day.
 */

/** What BullMQ can order by, with a turn of 20: further back, all are served first come, first served. */
export const LAST_PLACE = 41_000_000;

/** From here on the line begins anew when few are in it; from the second number on, however many there are. */
export const LONG_LINE = 1_000_000;
export const LONGEST_LINE = 20_000_000;
export const FEW = 1_000;

/**
 * No email is further behind the front than this, unless it was given its place before the line began anew: an
 * organization has at most the window in the queue, and what it sends meanwhile.
 */
export const REACH = 500_000;

/** Longer than a statement that dispatches may take to commit, which is 15 s: those are not seen yet. */
const LATE = `interval '20 s'`;
/** The same for the few emails that count for a place in line: one that comes later yet costs an order, and nothing else. */
const LATE_IN_LINE = `interval '2 s'`;

/** A bound from before the clock of Postgres was put back says nothing. */
const bound = (column: string, late: string): string =>
  `(select case when ${column} <= now() - ${late} + interval '1 s' then ${column} else '-infinity' end from dispatch_window)`;

/** No email that is dispatched was dispatched before. */
export const DISPATCHED_SINCE = bound('dispatched_since', LATE);
/** No email that waits for a worker was dispatched before. */
export const UNCLAIMED_SINCE = bound('unclaimed_since', LATE_IN_LINE);

/** What the bounds may become. @param oldest the time of the oldest that was found, as an expression */
export const nextDispatchedSince = (oldest: string): string => `least(${oldest}, now() - ${LATE})`;
export const nextUnclaimedSince = (oldest: string): string => `least(${oldest}, now() - ${LATE_IN_LINE})`;
