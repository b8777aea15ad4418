import type { EventConsumer } from '../events/stream/event-consumer.js';
import { BATCH_EVENTS } from '../events/ingest/flush-entries.js';
import { unpackEntries, type UnpackedEntries } from '../events/ingest/decode-entries.js';

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
export class BatchReader {
  private count = FIRST_COUNT;
  /** What comes next, taken and unpacked while Postgres has what came before it. */
  private ahead: Promise<Taken> | undefined;

  constructor(private readonly consumer: EventConsumer) {}

  /** True when entries were taken that are not stored yet. */
  get hasMore(): boolean {
    return this.ahead !== undefined;
  }

  /** Entries that nobody has taken yet, or what was taken ahead. @param blockMs how long to wait for one */
  async next(blockMs: number): Promise<Taken> {
    const taken = await (this.ahead ?? this.take(blockMs));
    this.ahead = undefined;
    return taken;
  }

  takeAhead(): void {
    this.ahead = this.take();
    // Whoever waits for it next is told; until then it is no failure that nobody handles.
    this.ahead.catch(() => undefined);
  }

  async forgetAhead(): Promise<void> {
    await this.ahead?.catch(() => undefined);
    this.ahead = undefined;
  }

  private async take(blockMs?: number): Promise<Taken> {
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
