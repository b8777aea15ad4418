import { EventLoopLoad } from '../platform/clock/event-loop-load.js';
import { EventLoopTurns } from '../platform/clock/event-loop-turns.js';

/** HTML of at most this length is always rendered at once: passing it to a thread would take longer. */
export const ALWAYS_INLINE_LENGTH = 1024;
/**
 * HTML within both limits takes at most about 3 ms, twice as long as a newsletter of this length; 16 ms while the code
 * is not optimized yet.
 */
const MAX_LENGTH = 32 * 1024;
const MAX_TAGS = 1_000;
/** Above this share, threads take work from the event loop, which may have other cores to use. */
const BUSY_SHARE = 0.8;

/**
 * Renders documents on the main thread that are certainly cheap. To pass one to a thread and back takes half as long as
 * to render it.
 */
export class InlineRendering {
  private readonly turns = new EventLoopTurns();

  constructor(private readonly load: Pick<EventLoopLoad, 'busyShare'> = new EventLoopLoad()) {}

  suits(html: string): boolean {
    return html.length <= MAX_LENGTH && this.load.busyShare < BUSY_SHARE && hasFewTags(html);
  }

  /** Runs `render` in a turn of its own. @param charge is called with its time in milliseconds */
  run<Result>(render: () => Result, charge: ((milliseconds: number) => void) | undefined): Promise<Result> {
    return this.turns.run(() => {
      const startedAt = performance.now();
      try {
        return render();
      } finally {
        charge?.(performance.now() - startedAt);
      }
    });
  }
}

/** What a document costs depends on its tags more than on its length. */
function hasFewTags(html: string): boolean {
  let tags = 0;
  for (let start = html.indexOf('<'); start !== -1; start = html.indexOf('<', start + 1)) {
    if (++tags > MAX_TAGS) return false;
  }
  return true;
}
