import type { Logger } from '../logging/logger.js';
import type { AppendMetrics, AppendOutcome } from './append-metrics.js';
import type { EngagementEvent } from './engagement-event.js';
import type { EntryStore } from './entry-store.js';
import { encodeEvent, packEntry } from './event-codec.js';

/** One entry stays small enough for Redis to copy at once, and for a flusher to take hundreds. */
const ENTRY_BYTES = 64 * 1024;
const ENTRY_EVENTS = 512;
/** Events that wait in memory while an entry is on its way; more than that is refused. */
const WAITING_BYTES = 64 * 1024 * 1024;

/** Thrown when events arrive faster than both Redis and the disk take them. */
export class AppenderOverloadedError extends Error {
  constructor() {
    super('Too many events wait to be stored');
    this.name = 'AppenderOverloadedError';
  }
}

/** Events that share an entry, and with it their fate. */
interface Batch {
  readonly records: Buffer[];
  bytes: number;
  readonly stored: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Appends events, packed by the pace of the store itself: one entry is on its way, and everything that arrives
 * meanwhile goes in the next. A lone event waits for nobody; under load a command carries hundreds.
 */
export class EventAppender {
  private readonly waiting: Batch[] = [];
  private waitingBytes = 0;
  private draining: Promise<void> | undefined;
  private losing = false;

  constructor(
    private readonly store: EntryStore,
    private readonly metrics: AppendMetrics,
    private readonly logger: Logger,
  ) {}

  /**
   * Resolves when Redis or the disk has the event durably.
   * @throws when neither does: AppenderOverloadedError, SpoolFullError or the file system's error
   */
  append(event: EngagementEvent): Promise<void> {
    let record: Buffer;
    try {
      record = encodeEvent(event);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    if (this.waitingBytes + record.length > WAITING_BYTES) {
      this.metrics.recordBatch('lost', 1, 0);
      return Promise.reject(new AppenderOverloadedError());
    }
    const batch = this.batchFor(record);
    batch.records.push(record);
    batch.bytes += record.length;
    this.waitingBytes += record.length;
    this.draining ??= this.drain();
    return batch.stored;
  }

  /** Resolves when everything that was appended has been stored or refused. */
  async close(): Promise<void> {
    await this.draining;
    await this.store.close();
  }

  private batchFor(record: Buffer): Batch {
    const last = this.waiting.at(-1);
    if (last && last.bytes + record.length <= ENTRY_BYTES && last.records.length < ENTRY_EVENTS) return last;
    const batch = newBatch();
    this.waiting.push(batch);
    return batch;
  }

  private async drain(): Promise<void> {
    // What else this turn of the event loop brings goes along.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = this.waiting.shift(); batch; batch = this.waiting.shift()) {
      this.waitingBytes -= batch.bytes;
      await this.settle(batch);
    }
    this.draining = undefined;
  }

  private async settle(batch: Batch): Promise<void> {
    const begun = performance.now();
    let outcome: AppendOutcome = 'lost';
    try {
      outcome = await this.store.store(packEntry(batch.records));
      batch.resolve();
    } catch (error) {
      if (!this.losing)
        this.logger.error({ reason: String(error) }, 'Events are being lost: Redis and the spool refuse');
      batch.reject(error);
    }
    this.losing = outcome === 'lost';
    this.metrics.recordBatch(outcome, batch.records.length, performance.now() - begun);
  }
}

function newBatch(): Batch {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const stored = new Promise<void>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { records: [], bytes: 0, stored, resolve, reject };
}
