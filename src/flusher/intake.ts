import type { EventConsumer } from '../stream/event-consumer.js';
import { BATCH_EVENTS } from './flush-entries.js';
import { unpackEntries, type UnpackedEntries } from './unpacked-entries.js';

const FIRST_COUNT = 100;
/** An entry holds up to 64 KB, most often far less. */
const MOST_ENTRIES = 500;

export interface Taken extends UnpackedEntries {
  /** True when there may be more in the stream. */
  readonly isFull: boolean;
}

/**
 * Takes from the stream as many entries as hold about one batch, going by what the last ones held: an entry holds one
 * event or hundreds. More would lie in memory without getting into Postgres any sooner.
 */
export class Intake {
  private count = FIRST_COUNT;

  constructor(private readonly consumer: EventConsumer) {}

  /** Entries that nobody has taken yet. @param blockMs how long to wait for one; undefined: not at all */
  async take(blockMs?: number): Promise<Taken> {
    const asked = this.count;
    const entries = await this.consumer.readNew(asked, blockMs);
    const unpacked = unpackEntries(entries);
    this.learnFrom(entries.length, unpacked.events.length);
    return { ...unpacked, isFull: entries.length === asked };
  }

  /** Entries after `afterId` that were taken already, but have not been acknowledged. */
  async takeOwn(afterId: string): Promise<UnpackedEntries> {
    return unpackEntries(await this.consumer.readOwn(this.count, afterId));
  }

  private learnFrom(entries: number, events: number): void {
    if (entries === 0) return;
    this.count = Math.min(MOST_ENTRIES, Math.max(1, Math.ceil((BATCH_EVENTS * entries) / Math.max(1, events))));
  }
}
