const FIRST_MS = 100;

/**
 * The delay before the next try of a loop, in milliseconds: twice that of the failure before.
 * @param failures in a row, from 1 on
 */
export function backoffMs(failures: number, longestMs: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 10), longestMs);
}
