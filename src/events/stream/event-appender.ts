import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { AppendMetrics, type AppendOutcome } from './append-metrics.js';
import type { StreamEvent } from './stream-event.js';
import { EntryStore } from './stream-or-spool.js';
import { packEvents, recordLength } from './codec/event-codec.js';

/** Entries stay small enough for Redis to copy at once and for a flusher to read hundreds. */
const ENTRY_BYTES = 64 * 1024;
const ENTRY_EVENTS = 512;
/** Limit of the events that wait in memory while an entry is being stored; more are rejected. */
const WAITING_BYTES = 64 * 1024 * 1024;
/** Far longer than Redis may take. Only a disk that does not respond takes longer, and a reader must not wait for it. */
const DELAY_MS = 1_000;

/** Thrown when events arrive faster than Redis and the disk can store them. */
class AppenderOverloadedError extends Error {
  constructor() {
    super('Too many events wait to be stored');
    this.name = 'AppenderOverloadedError';
  }
}

/** Receives the outcome of one append. */
export interface AppendListener {
  /** Redis or the disk has the event durably. */
  stored(): void;
  /** The store takes longer than a reader should wait. `stored` or `lost` follows. */
  delayed?(): void;
  /** Neither stored it. The reason is AppenderOverloadedError, SpoolFullError or the file system's error. */
  lost(reason: unknown): void;
}

/** Events that share an entry, and so its outcome. */
interface Batch {
  readonly events: StreamEvent[];
  readonly listeners: AppendListener[];
  bytes: number;
  /** How many of the listeners were notified that the batch is delayed. */
  delayNotices: number;
}

/**
 * Appends events in batches whose size adapts to the store: while one entry is being stored, new events collect in
 * the next. A single event waits for no other; under load one command carries hundreds.
 */
@Injectable()
export class EventAppender {
  private readonly waiting: Batch[] = [];
  private waitingBytes = 0;
  private draining: Promise<void> | undefined;
  private losing = false;

  constructor(
    private readonly store: EntryStore,
    private readonly metrics: AppendMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Resolves when Redis or the disk has the event durably.
   * @throws when neither does, and RangeError when the event does not fit the format
   */
  append(event: StreamEvent): Promise<void> {
    return new Promise((resolve, reject) => this.appendFor(event, { stored: resolve, lost: reject }));
  }

  /**
   * The same for the hot path, where a promise per event would cost more than packing the event.
   * @throws RangeError when the event does not fit the format
   */
  appendFor(event: StreamEvent, listener: AppendListener): void {
    const bytes = recordLength(event);
    if (this.waitingBytes + bytes > WAITING_BYTES) {
      this.metrics.recordBatch('lost', 1, 0);
      return listener.lost(new AppenderOverloadedError());
    }
    const batch = this.batchFor(bytes);
    batch.events.push(event);
    batch.listeners.push(listener);
    batch.bytes += bytes;
    this.waitingBytes += bytes;
    this.draining ??= this.drain();
  }

  /** Resolves when every appended event has been stored or rejected. */
  async close(): Promise<void> {
    await this.draining;
    await this.store.close();
  }

  private batchFor(bytes: number): Batch {
    const last = this.waiting.at(-1);
    if (last && last.bytes + bytes <= ENTRY_BYTES && last.events.length < ENTRY_EVENTS) return last;
    const batch: Batch = { events: [], listeners: [], bytes: 0, delayNotices: 0 };
    this.waiting.push(batch);
    return batch;
  }

  private async drain(): Promise<void> {
    // Collect the other events of this turn of the event loop first.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = this.waiting.shift(); batch; batch = this.waiting.shift()) {
      this.waitingBytes -= batch.bytes;
      await this.settle(batch);
    }
    this.draining = undefined;
  }

  private async settle(batch: Batch): Promise<void> {
    const startedAt = performance.now();
    const overdue = setInterval(() => this.notifyDelayed([batch, ...this.waiting]), DELAY_MS).unref();
    let outcome: AppendOutcome = 'lost';
    let reason: unknown;
    try {
      outcome = await this.store.store(packEvents(batch.events, batch.bytes));
    } catch (error) {
      reason = error;
      if (!this.losing) this.logger.error({ reason: String(error) }, 'Losing events: Redis and the spool refuse them');
    }
    clearInterval(overdue);
    this.losing = outcome === 'lost';
    this.metrics.recordBatch(outcome, batch.events.length, performance.now() - startedAt);
    for (const listener of batch.listeners)
      this.notify(() => (outcome === 'lost' ? listener.lost(reason) : listener.stored()));
  }

  /** Their events stay in line. */
  private notifyDelayed(batches: readonly Batch[]): void {
    for (const batch of batches) {
      for (const listener of batch.listeners.slice(batch.delayNotices)) this.notify(() => listener.delayed?.());
      batch.delayNotices = batch.listeners.length;
    }
  }

  /** A failing listener must not affect the other listeners. */
  private notify(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.logger.error({ err: error }, 'A listener of an appended event failed');
    }
  }
}
