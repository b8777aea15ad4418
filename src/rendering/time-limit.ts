/** In elapsed time, a task may take this many times its limit. */
const LONGEST = 5;
const MIN_CHECK_MS = 10;

/**
 * The time limit of a task. The first half of the limit counts elapsed time, which costs nothing for the many tasks
 * that end within it. The second half counts the processor time of the task's thread: a busy host must not refuse a
 * document that takes milliseconds elsewhere. If the first check is late, because the checking thread was busy, the
 * task still has its second half: it may have ended long ago, with its result waiting to be read.
 */
export class TimeLimit {
  private halfTime: { readonly ranMs: number; readonly processorMs: number | undefined } | undefined;

  constructor(private readonly limitMs: number) {}

  /**
   * Milliseconds until the task may be over its limit; 0 once it is.
   * @param ranMs elapsed time since the task started
   * @param processorMs returns the processor time of its thread, or undefined if that is unknown
   */
  remainingMs(ranMs: number, processorMs: () => number | undefined): number {
    const half = this.limitMs / 2;
    if (ranMs < half) return Math.max(MIN_CHECK_MS, half - ranMs);
    this.halfTime ??= { ranMs, processorMs: processorMs() };
    const usedMs = half + this.usedSince(this.halfTime, ranMs, processorMs);
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
