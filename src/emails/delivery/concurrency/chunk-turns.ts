import { setImmediate } from 'node:timers/promises';

/**
 * Lets the chunks of a broadcast take turns in this process. The computation for a chunk blocks the event loop for
 * milliseconds, and its statements keep Postgres busy; several at once would make other mail wait for all of them.
 */
export class ChunkTurns {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after that of earlier calls, and after other pending work of the event loop. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(() => setImmediate()).then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}
