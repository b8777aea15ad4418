/** Tracks when a periodic task is due; the first time at once. */
export class Schedule {
  private nextAt = 0;

  constructor(private readonly intervalMs: number) {}

  /** True once per interval, and after the clock was set back, which would otherwise delay the next time. */
  isDue(now: number): boolean {
    if (now < this.nextAt && this.nextAt - now <= this.intervalMs) return false;
    this.nextAt = now + this.intervalMs;
    return true;
  }

  retryAt(time: number): void {
    this.nextAt = time;
  }
}
