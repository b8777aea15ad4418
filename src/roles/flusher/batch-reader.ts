import type { EventConsumer } from '../../events/stream/event-consumer.js';
import { BATCH_EVENTS } from '../../events/ingest/flush-entries.js';
import { decodeEntries, type DecodedEntries } from '../../events/ingest/decode-entries.js';
import { partsOf } from '../../events/stream/entry-parts.js';
import type { StreamEntry } from '../../events/stream/stream-entry.js';

const FIRST_COUNT = 100;
/** An entry holds up to 64 KB, but usually far less. */
const MAX_ENTRIES = 500;
/** Of the entries that are decoded at once: more than one transaction of opens and clicks takes. */
const DECODED_BYTES = 2 * 1024 * 1024;

export interface EventBatch extends DecodedEntries {
  /** True when the stream may contain more. */
  readonly isFull: boolean;
}

/**
 * Reads about one batch of events from the stream. An entry holds one event or hundreds, so the number of entries
 * adapts to the previous ones. More entries would only occupy memory; where these were much shorter, the entries are
 * decoded in parts.
 */
export class BatchReader {
  private count = FIRST_COUNT;
  /** Entries that were read but not decoded yet. */
  private parts: (readonly StreamEntry[])[] = [];
  private mayHaveMore = false;
  /** The next batch, read and decoded while Postgres stores the previous one. */
  private prefetched: Promise<EventBatch> | undefined;

  /** @param batchEvents how many events a transaction may have */
  constructor(
    private readonly consumer: EventConsumer,
    private readonly batchEvents: () => number = () => BATCH_EVENTS,
  ) {}

  /** True when entries were read but not stored yet. */
  get hasMore(): boolean {
    return this.prefetched !== undefined || this.parts.length > 0;
  }

  /** The prefetched batch, or new entries. @param blockMs how long to wait for the first one */
  async next(blockMs: number): Promise<EventBatch> {
    const batch = await (this.prefetched ?? this.read(blockMs));
    this.prefetched = undefined;
    return batch;
  }

  prefetch(): void {
    this.prefetched = this.read();
    // Suppresses the unhandled-rejection warning; the next `next()` call rethrows.
    this.prefetched.catch(() => undefined);
  }

  async discardPrefetch(): Promise<void> {
    await this.prefetched?.catch(() => undefined);
    this.prefetched = undefined;
    this.parts = [];
  }

  private async read(blockMs?: number): Promise<EventBatch> {
    if (this.parts.length === 0) await this.readParts(blockMs);
    const entries = this.parts.shift() ?? [];
    const decoded = decodeEntries(entries);
    this.adapt(entries.length, decoded.events.length + decoded.reports.length);
    return { ...decoded, isFull: this.mayHaveMore || this.parts.length > 0 };
  }

  private async readParts(blockMs?: number): Promise<void> {
    const requested = this.count;
    const entries = await this.consumer.readNew(requested, blockMs);
    this.parts = partsOf(entries, DECODED_BYTES);
    this.mayHaveMore = entries.length === requested;
  }

  /**
   * Entries after `afterId` that were read but not acknowledged, so few that all may be long. The more often they were
   * delivered, the fewer are read at once: an entry that crashes flushers is alone before its deliveries run out, so
   * that no other becomes a dead letter with it.
   */
  async readOwn(afterId: string): Promise<DecodedEntries> {
    const count = Math.min(FIRST_COUNT, this.count);
    const deliveries = await this.consumer.deliveriesAfter(count, afterId);
    return decodeEntries(await this.consumer.readOwn(pageOf(deliveries, count), afterId));
  }

  private adapt(entries: number, events: number): void {
    if (entries === 0) return;
    this.count = Math.min(MAX_ENTRIES, Math.max(1, Math.ceil((this.batchEvents() * entries) / Math.max(1, events))));
  }
}

/** The number of entries to read: `count`, halved for each delivery of the one that was delivered most often. */
function pageOf(deliveries: readonly number[], count: number): number {
  let most = 1;
  for (const [index, times] of deliveries.entries()) {
    most = Math.max(most, times);
    if (index >= Math.max(1, count >> (most - 1))) return index;
  }
  return count;
}
