const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Retry delays: the schedule that Standard Webhooks 1.0.0 suggests, plus a day. About 75 hours in total. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

/** Upper bound for a receiver's Retry-After. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;
/** Up to this fraction of the delay is added, so that deliveries that failed together do not retry together. */
const JITTER = 0.2;

/**
 * Returns the milliseconds until the next attempt, or undefined when no retry is left.
 * @param retries number of retries so far
 * @param retryAfterMs delay that the receiver asked for
 * @param random a number from 0 to 1
 */
export function webhookRetryDelayMs(retries: number, retryAfterMs: number, random: number): number | undefined {
  const wait = WAITS_MS[retries];
  return wait === undefined ? undefined : Math.max(Math.round(wait * (1 + JITTER * random)), retryAfterMs);
}

/**
 * Parses a Retry-After header (RFC 9110, 10.2.3) in seconds or as a date. Returns milliseconds, 0 without a header, and
 * at most 24 hours.
 * @param now milliseconds since the Unix epoch
 */
export function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now;
  return Number.isNaN(milliseconds) ? 0 : Math.min(Math.max(0, milliseconds), LONGEST_RETRY_AFTER_MS);
}
