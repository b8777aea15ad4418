import { sleep } from './sleep.js';

/** Repeats rounds of work until it is stopped, one after the other. */
export class BackgroundLoop {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private completedAt = Date.now();

  /** @param round resolves with the milliseconds until the next round; must not reject */
  constructor(private readonly round: () => Promise<number>) {}

  /** When the last round completed, in milliseconds since the Unix epoch, whether or not it did anything. */
  get lastProgressAt(): number {
    return this.completedAt;
  }

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const waitMs = await this.round();
      this.completedAt = Date.now();
      await sleep(waitMs, signal);
    }
  }
}
