/** By the clock, a task may take this many times its limit. */
const LONGEST = 5;
const MIN_CHECK_MS = 10;

/**
 * The time limit of a task. The first half of the limit counts by the clock, which costs nothing for the many tasks that
 * end within it. The second half counts the processor time of the task's thread: on a host that is busy with other
 * things, a document must not be refused that takes milliseconds elsewhere.
 */
export class TimeLimit {
  private halfTime: { readonly ranMs: number; readonly processorMs: number | undefined } | undefined;

  constructor(private readonly limitMs: number) {}

  /**
   * Milliseconds until the task may be over its limit; 0 once it is.
   * @param ranMs by the clock, since the task started
   * @param processorMs returns what its thread has had of a processor, or undefined where that is unknown
   */
  remainingMs(ranMs: number, processorMs: () => number | undefined): number {
    const half = this.limitMs / 2;
    if (ranMs < half) return Math.max(MIN_CHECK_MS, half - ranMs);
    this.halfTime ??= { ranMs, processorMs: processorMs() };
    const usedMs = this.halfTime.ranMs + this.usedSince(this.halfTime, ranMs, processorMs);
    const leftMs = Math.min(this.limitMs - usedMs, LONGEST * this.limitMs - ranMs);
    return leftMs <= 0 ? 0 : Math.max(MIN_CHECK_MS, leftMs);
  }

  private usedSince(
    { ranMs: before, processorMs: had }: NonNullable<TimeLimit['halfTime']>,
    ranMs: number,
    processorMs: () => number | undefined,
  ): number {
    const has = had === undefined ? undefined : processorMs();
    return has === undefined ? ranMs - before : Math.min(ranMs - before, has - had!);
  }
}
