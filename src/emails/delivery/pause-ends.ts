import { PAUSE_CAUSES, type PauseCause } from './provider-pause-key.js';

/** The end of the pause of each cause, by a monotonic clock: that of a failing provider may end early. */
export class PauseEnds {
  private readonly until: Record<PauseCause, number> = { throttled: 0, 'credential-refused': 0, failing: 0 };

  /** The end of the pause that lasts longest. */
  get last(): number {
    return Math.max(...Object.values(this.until));
  }

  /** The cause of the pause that lasts longest; undefined if all have ended. */
  causeAt(now: number): PauseCause | undefined {
    const { last } = this;
    return now < last ? PAUSE_CAUSES.find((cause) => this.until[cause] === last) : undefined;
  }

  extend(until: number, cause: PauseCause): void {
    this.until[cause] = Math.max(until, this.until[cause]);
  }

  endFailing(): void {
    this.until.failing = 0;
  }
}
