import v8 from 'node:v8';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { AppendMetrics, type AppendOutcome } from './append-metrics.js';
import type { StreamEvent } from './stream-event.js';
import { EntryStore } from './entry-store.js';
import { packEvents, recordLength } from './codec/event-codec.js';

/** Entries stay small enough for Redis to copy at once and for a flusher to read hundreds. */
const ENTRY_BYTES = 64 * 1024;
const ENTRY_EVENTS = 512;
/** The share of the heap for events that wait while an entry is being stored; more are rejected. */
const WAITING_SHARE = 0.25;
/** What an event and its listener take in memory, in addition to the length of its record. */
const OBJECT_BYTES = 400;
/** Far longer than Redis may take. Only a slow or hung disk takes longer, and a reader must not wait for it. */
const DELAY_MS = 1_000;
/** How often to look for events that have waited too long. */
const CHECK_MS = 250;

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
  /** When its first event arrived, on the monotonic clock. */
  readonly since: number;
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
  private readonly maxWaitingBytes = v8.getHeapStatistics().heap_size_limit * WAITING_SHARE;
  private storing: Batch | undefined;
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
   * For an event whose loss is harmless. Resolves when it is stored or lost, or when the caller has waited long enough:
   * the event stays in line.
   * @throws RangeError when the event does not fit the format
   */
  appendInTime(event: StreamEvent): Promise<void> {
    return new Promise((resolve) =>
      this.appendFor(event, { stored: resolve, lost: () => resolve(), delayed: resolve }),
    );
  }

  /**
   * For the hot path, where a promise per event would cost more than packing the event.
   * @throws RangeError when the event does not fit the format
   */
  appendFor(event: StreamEvent, listener: AppendListener): void {
    const bytes = recordLength(event);
    if (this.waitingBytes + bytes + OBJECT_BYTES > this.maxWaitingBytes) {
      this.metrics.recordBatch('lost', 1, 0);
      return listener.lost(new AppenderOverloadedError());
    }
    const batch = this.batchFor(bytes);
    batch.events.push(event);
    batch.listeners.push(listener);
    batch.bytes += bytes;
    this.waitingBytes += bytes + OBJECT_BYTES;
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
    const batch: Batch = { events: [], listeners: [], since: performance.now(), bytes: 0, delayNotices: 0 };
    this.waiting.push(batch);
    return batch;
  }

  private async drain(): Promise<void> {
    // Collect the other events of this turn of the event loop first.
    await new Promise((resolve) => setImmediate(resolve));
    const overdue = setInterval(() => this.notifyDelayed(), CHECK_MS).unref();
    for (let batch = this.waiting.shift(); batch; batch = this.waiting.shift()) {
      this.waitingBytes -= batch.bytes + batch.events.length * OBJECT_BYTES;
      this.storing = batch;
      await this.settle(batch);
    }
    clearInterval(overdue);
    this.storing = undefined;
    this.draining = undefined;
  }

  private async settle(batch: Batch): Promise<void> {
    const startedAt = performance.now();
    let outcome: AppendOutcome = 'lost';
    let reason: unknown;
    try {
      outcome = await this.store.store(packEvents(batch.events, batch.bytes));
    } catch (error) {
      reason = error;
      const facts = { reason: String(error), folder: this.store.folder };
      if (!this.losing) this.logger.error(facts, 'Losing events: Redis and the spool refuse them');
    }
    this.losing = outcome === 'lost';
    this.metrics.recordBatch(outcome, batch.events.length, performance.now() - startedAt);
    for (const listener of batch.listeners)
      this.notify(() => (outcome === 'lost' ? listener.lost(reason) : listener.stored()));
  }

  /** Their events stay in line. Each entry may be fast enough, and the last of many in line still be late. */
  private notifyDelayed(): void {
    const late = performance.now() - DELAY_MS;
    for (const batch of this.storing ? [this.storing, ...this.waiting] : this.waiting) {
      if (batch.since > late) continue;
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
