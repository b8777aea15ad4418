const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_DELAY_MS = 3_600_000;

/** After this time an email is no longer retried. */
export const RETRY_HORIZON_MS = 24 * 3_600_000;

/**
 * Exponential backoff with full jitter: the delay is uniform between zero and twice the mean, and the mean doubles
 * from 1 second to half an hour.
 * @param attempt number of the attempt that just failed, starting at 1
 * @param random a number from 0 to 1
 */
export function emailRetryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_RETRY_DELAY_MS, 2 * FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling * random);
}
