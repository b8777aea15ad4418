import { rename, unlink, utimes } from 'node:fs/promises';
import { CLAIMED_SEGMENT, DAMAGED_SEGMENT, ignoreMissing, isMissing } from './spool-folder.js';
import { readSegment } from './spool-segment.js';
import type { SpoolSpace } from './spool-space.js';

/** A segment claimed by this process for replay. */
export class ClaimedSegment {
  /** True when a record in it cannot be read. */
  readonly damaged: boolean;
  /** Number of readable entries. */
  readonly entries: number;
  private readonly payloads: Buffer[];
  private readonly size: number;
  private position = 0;

  constructor(
    readonly path: string,
    bytes: Buffer,
    private readonly space: SpoolSpace,
  ) {
    const { payloads, damaged } = readSegment(bytes);
    this.payloads = [...payloads];
    this.size = bytes.length;
    this.entries = payloads.length;
    this.damaged = damaged;
  }

  /** The next payloads that are not in the stream yet; empty only when all are. */
  next(atMost: number, bytes: number): Buffer[] {
    let end = this.position;
    for (let sum = 0; end < this.payloads.length && end < this.position + atMost; end++) {
      sum += this.payloads[end]!.length;
      if (sum > bytes && end > this.position) break;
    }
    return this.payloads.slice(this.position, end);
  }

  /**
   * Marks the batch from `next` as appended, except the entries that Redis refused. Those come next, so an
   * interrupted replay continues where it stopped.
   */
  replayed(count: number, refused: readonly Buffer[]): void {
    this.position += count - refused.length;
    for (const [index, payload] of refused.entries()) this.payloads[this.position + index] = payload;
  }

  /**
   * Refreshes the claim, so that other processes do not treat the segment as abandoned.
   * @returns false when another process has taken it over anyway
   */
  async renew(now: number): Promise<boolean> {
    try {
      await utimes(this.path, new Date(now), new Date(now));
      return true;
    } catch (error) {
      if (!isMissing(error)) throw error;
      return false;
    }
  }

  /**
   * Deletes the segment once all its entries are in the stream.
   * @throws the file system's error; the segment then no longer holds its entries in memory
   */
  async remove(): Promise<void> {
    this.payloads.length = 0;
    await unlink(this.path).catch(ignoreMissing);
    this.space.freed(this.size);
  }

  /**
   * Keeps the file for an operator; its readable entries are in the stream.
   * @throws as `remove`
   */
  async quarantine(): Promise<void> {
    this.payloads.length = 0;
    await rename(this.path, this.path.replace(CLAIMED_SEGMENT, DAMAGED_SEGMENT)).catch(ignoreMissing);
  }
}
