const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits before the retries, as Standard Webhooks 1.0.0 suggests and a day more: about 75 hours in all. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

/** Longer than that no receiver may put us off. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;
/** Deliveries that failed together must not come back together: up to so much of the wait is added. */
const JITTER = 0.2;

/**
 * Milliseconds until the next attempt; undefined when there is none left.
 * @param retries how many retries the schedule has had
 * @param retryAfterMs what the receiver asked for
 * @param random a number from 0 to 1
 */
export function webhookRetryDelayMs(retries: number, retryAfterMs: number, random: number): number | undefined {
  const wait = WAITS_MS[retries];
  return wait === undefined ? undefined : Math.max(Math.round(wait * (1 + JITTER * random)), retryAfterMs);
}

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3), in seconds or as a date: milliseconds, 0 for none, at most 24 hours.
 * @param now milliseconds since the Unix epoch
 */
export function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now;
  return Number.isNaN(milliseconds) ? 0 : Math.min(Math.max(0, milliseconds), LONGEST_RETRY_AFTER_MS);
}
