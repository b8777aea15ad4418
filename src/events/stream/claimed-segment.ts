import { rename, unlink, utimes } from 'node:fs/promises';
import { CLAIMED_SEGMENT, DAMAGED_SEGMENT, ignoreMissing, isMissing } from './spool-folder.js';
import { readSegment } from './spool-segment.js';
import type { SpoolSpace } from './spool-space.js';

/** A segment that this process alone replays. */
export class ClaimedSegment {
  /** True when a record in it cannot be read. */
  readonly damaged: boolean;
  /** How many entries could be read. */
  readonly entries: number;
  private readonly payloads: Buffer[];
  private position = 0;

  constructor(
    readonly path: string,
    private readonly bytes: Buffer,
    private readonly space: SpoolSpace,
  ) {
    const { payloads, damaged } = readSegment(bytes);
    this.payloads = [...payloads];
    this.entries = payloads.length;
    this.damaged = damaged;
  }

  /** The next payloads that are not in the stream yet: at least one, unless all are there. */
  next(atMost: number, bytes: number): Buffer[] {
    let end = this.position;
    for (let sum = 0; end < this.payloads.length && end < this.position + atMost; end++) {
      sum += this.payloads[end]!.length;
      if (sum > bytes && end > this.position) break;
    }
    return this.payloads.slice(this.position, end);
  }

  /**
   * So many of what `next` gave are in the stream, but for those that Redis refused: they come next, so that a replay
   * that breaks off goes on where it was.
   */
  replayed(count: number, refused: readonly Buffer[]): void {
    this.position += count - refused.length;
    for (const [index, payload] of refused.entries()) this.payloads[this.position + index] = payload;
  }

  /**
   * Tells other processes that it is not abandoned.
   * @returns false when one of them has taken it over all the same
   */
  async keep(now: number): Promise<boolean> {
    try {
      await utimes(this.path, new Date(now), new Date(now));
      return true;
    } catch (error) {
      if (!isMissing(error)) throw error;
      return false;
    }
  }

  /** Everything in it is in the stream. */
  async remove(): Promise<void> {
    await unlink(this.path).catch(ignoreMissing);
    this.space.freed(this.bytes.length);
  }

  /** What could be read is in the stream; the file stays for an operator. */
  async setAside(): Promise<void> {
    await rename(this.path, this.path.replace(CLAIMED_SEGMENT, DAMAGED_SEGMENT)).catch(ignoreMissing);
  }
}
