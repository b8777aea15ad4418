import { retryAfterMs } from '../../platform/outbound-http/retry-after.js';

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
 * Returns the milliseconds that a Retry-After header asks for, 0 without a valid one, and at most 24 hours.
 * @param now milliseconds since the Unix epoch
 */
export function readRetryAfter(header: string | undefined, now: number): number {
  return Math.min(Math.max(0, retryAfterMs(header, now) ?? 0), LONGEST_RETRY_AFTER_MS);
}
