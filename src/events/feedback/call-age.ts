/** How far the clock of another server may be ahead of ours. */
export const MAX_AHEAD_MS = 10 * 60_000;

/**
 * True for a call whose time is too long ago, or ahead by more than clocks differ. Times are in
 * milliseconds since 1970.
 */
export function isStale(time: number, now: number, maxAgeMs: number): boolean {
  return now - time > maxAgeMs || time - now > MAX_AHEAD_MS;
}
