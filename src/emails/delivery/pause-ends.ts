import { PAUSE_CAUSES, type PauseCause } from './provider-pause-key.js';

/** When the pause of each cause ends, on a monotonic clock: that of a failing provider may end early. */
export class PauseEnds {
  private readonly until: Record<PauseCause, number> = { throttled: 0, 'credential-refused': 0, failing: 0 };

  /** A shorter pause does not end a longer one. */
  extend(until: number, cause: PauseCause): void {
    this.until[cause] = Math.max(until, this.until[cause]);
  }

  /** Ends the pause of a cause. */
  end(cause: PauseCause): void {
    this.until[cause] = 0;
  }

  /** The end of all pauses. */
  get latest(): number {
    return Math.max(...Object.values(this.until));
  }

  /** The cause of the pause that ends last; undefined if all have ended. */
  causeAt(now: number): PauseCause | undefined {
    const until = this.latest;
    return now < until ? PAUSE_CAUSES.find((cause) => this.until[cause] === until) : undefined;
  }
}
