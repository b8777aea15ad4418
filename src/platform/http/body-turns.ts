import { setImmediate } from 'node:timers/promises';

/** Shorter bodies are parsed and checked within milliseconds. In bytes. */
const LARGE_BYTES = 256 * 1024;

/**
 * Lets large bodies take turns. Parsing one and checking its values blocks the event loop for up to a tenth of a second;
 * several that end in the same turn of the event loop would make every other request wait for all of them.
 */
export class BodyTurns {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves at once for a short body; for a large one after those before it, with pending I/O between any two. */
  async wait(bytes: number): Promise<void> {
    if (bytes <= LARGE_BYTES) return;
    this.last = this.last.then(() => setImmediate());
    await this.last;
  }
}
