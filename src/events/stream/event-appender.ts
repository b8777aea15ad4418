import type { Logger } from '../../platform/logging/logger.js';
import type { AppendMetrics, AppendOutcome } from './append-metrics.js';
import type { EngagementEvent } from '../engagement-event.js';
import type { EntryStore } from './stream-or-spool.js';
import { packEvents, recordLength } from './event-codec.js';

/** One entry stays small enough for Redis to copy at once, and for a flusher to take hundreds. */
const ENTRY_BYTES = 64 * 1024;
const ENTRY_EVENTS = 512;
/** Events that wait in memory while an entry is on its way; more than that is refused. */
const WAITING_BYTES = 64 * 1024 * 1024;

/** Thrown when events arrive faster than both Redis and the disk take them. */
class AppenderOverloadedError extends Error {
  constructor() {
    super('Too many events wait to be stored');
    this.name = 'AppenderOverloadedError';
  }
}

/** Who is told what became of an event. */
export interface Appending {
  /** Redis or the disk has the event durably. */
  stored(): void;
  /** Neither has it: AppenderOverloadedError, SpoolFullError or the file system's error. */
  lost(reason: unknown): void;
}

/** Events that share an entry, and with it their fate. */
interface Batch {
  readonly events: EngagementEvent[];
  readonly appendings: Appending[];
  bytes: number;
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
   * @throws when neither does, and RangeError when the event does not fit the format
   */
  append(event: EngagementEvent): Promise<void> {
    return new Promise((resolve, reject) => this.appendFor(event, { stored: resolve, lost: reject }));
  }

  /**
   * The same for the hot path: a promise for each event would cost more than packing it.
   * @throws RangeError when the event does not fit the format
   */
  appendFor(event: EngagementEvent, appending: Appending): void {
    const bytes = recordLength(event);
    if (this.waitingBytes + bytes > WAITING_BYTES) {
      this.metrics.recordBatch('lost', 1, 0);
      return appending.lost(new AppenderOverloadedError());
    }
    const batch = this.batchFor(bytes);
    batch.events.push(event);
    batch.appendings.push(appending);
    batch.bytes += bytes;
    this.waitingBytes += bytes;
    this.draining ??= this.drain();
  }

  /** Resolves when everything that was appended has been stored or refused. */
  async close(): Promise<void> {
    await this.draining;
    await this.store.close();
  }

  private batchFor(bytes: number): Batch {
    const last = this.waiting.at(-1);
    if (last && last.bytes + bytes <= ENTRY_BYTES && last.events.length < ENTRY_EVENTS) return last;
    const batch: Batch = { events: [], appendings: [], bytes: 0 };
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
    let reason: unknown;
    try {
      outcome = await this.store.store(packEvents(batch.events, batch.bytes));
    } catch (error) {
      reason = error;
      if (!this.losing)
        this.logger.error({ reason: String(error) }, 'Events are being lost: Redis and the spool refuse');
    }
    this.losing = outcome === 'lost';
    this.metrics.recordBatch(outcome, batch.events.length, performance.now() - begun);
    for (const appending of batch.appendings) this.tell(appending, outcome, reason);
  }

  /** One who fails to take the news must not keep it from the others. */
  private tell(appending: Appending, outcome: AppendOutcome, reason: unknown): void {
    try {
      if (outcome === 'lost') appending.lost(reason);
      else appending.stored();
    } catch (error) {
      this.logger.error({ err: error }, 'What waited for an event failed');
    }
  }
}
