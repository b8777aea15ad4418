const FIRST_MS = 10_000;

/**
 * Schedules retries of a failed probe, with a delay that doubles each time. All times are milliseconds of one clock.
 */
export class ProbeBackoff {
  private dueAt = -Infinity;
  private failures = 0;

  constructor(private readonly longestMs: number) {}

  isDue(now: number): boolean {
    return now >= this.dueAt;
  }

  /** @param leastMs the minimum of the first delay */
  fail(leastMs: number, now: number): void {
    this.dueAt = now + Math.min(Math.max(FIRST_MS, leastMs) * 2 ** this.failures, this.longestMs);
    this.failures += 1;
  }

  /** Due after the first delay. */
  begin(now: number): void {
    this.clear();
    this.dueAt = now + FIRST_MS;
  }

  /** Due at once. */
  clear(): void {
    this.failures = 0;
    this.dueAt = -Infinity;
  }
}
