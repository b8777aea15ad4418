/** Tracks when a periodic task is due; the first time at once. */
export class Schedule {
  private nextAt = 0;

  constructor(private readonly intervalMs: number) {}

  /** True once per interval. */
  isDue(now: number): boolean {
    if (now < this.nextAt) return false;
    this.nextAt = now + this.intervalMs;
    return true;
  }

  retryAt(time: number): void {
    this.nextAt = time;
  }
}
