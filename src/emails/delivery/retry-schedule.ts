const FIRST_RETRY_MS = 1_000;
const LONGEST_WAIT_MS = 3_600_000;

/** How long an email is tried at all. */
export const RETRY_HORIZON_MS = 24 * 3_600_000;

/**
 * Exponential backoff with full jitter: the wait before the next attempt is anywhere up to twice the mean,
 * and the mean doubles from about 1 second to half an hour.
 * @param attempt number of the attempt that just failed, 1 for the first
 * @param random a number from 0 to 1
 */
export function emailRetryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_WAIT_MS, 2 * FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling * random);
}
