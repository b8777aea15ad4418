import { sleep } from './sleep.js';

/** Repeats rounds of work until it is stopped, one after the other. */
export class BackgroundLoop {
  private isStopping = false;
  /** Ends the current wait, or the wait after the current round. */
  private waking = new AbortController();
  private wakeTimer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private completedAt = Date.now();
  /** The same in monotonic milliseconds: a host clock that is set back must not delay the next round. */
  private restingSince = performance.now();

  /** @param round resolves with the milliseconds until the next round; must not reject */
  constructor(private readonly round: () => Promise<number>) {}

  /** When the last round completed, in milliseconds since the Unix epoch, whether or not it did anything. */
  get lastProgressAt(): number {
    return this.completedAt;
  }

  start(): void {
    this.running = this.run();
  }

  /** Starts the next round at once, or right after the current one. */
  wake(): void {
    clearTimeout(this.wakeTimer);
    this.wakeTimer = undefined;
    this.waking.abort();
  }

  /**
   * Starts the next round as soon as the last one ended this long ago, however often it is called until then. While a
   * round runs, that is the one before.
   */
  wakeAfter(restMs: number): void {
    const waitMs = this.restingSince + restMs - performance.now();
    if (waitMs <= 0) this.wake();
    else this.wakeTimer ??= setTimeout(() => this.wake(), waitMs).unref();
  }

  /** Resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      this.waking = new AbortController();
      const waitMs = await this.round();
      this.completedAt = Date.now();
      this.restingSince = performance.now();
      await sleep(waitMs, this.waking.signal);
    }
  }
}
