import { setImmediate } from 'node:timers/promises';

/**
 * Lets computations that block the event loop for milliseconds take turns in this process. Several at once would make
 * everything else wait for all of them.
 */
export class EventLoopTurns {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after that of earlier calls, and after other pending work of the event loop. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.last.then(() => setImmediate()).then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}
