import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { backoffMs } from '../../platform/clock/backoff.js';
import { sleep } from '../../platform/clock/sleep.js';
import { isTransientDatabaseError } from '../../platform/database/transient-error.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { EventConsumer, isMissingGroup, type StreamBacklog } from '../../events/stream/event-consumer.js';
import type { FlushResult, ReceivedEvent } from '../../events/ingest/flush-batch.js';
import { flushDecoded, type FlushSettings } from '../../events/ingest/flush-entries.js';
import { FlusherMetrics } from './flusher-metrics.js';
import { BatchReader } from './batch-reader.js';
import { BatchSize } from './batch-size.js';
import { SlowEvents } from './slow-events.js';
import type { StreamEvent } from '../../events/stream/stream-event.js';
import { Upkeep } from './upkeep.js';
import type { DecodedEntries } from '../../events/ingest/decode-entries.js';

/** Injection token of the flush settings. */
export const FLUSH_SETTINGS = Symbol('FLUSH_SETTINGS');

/** Maintenance between two reads can wait this long. */
const BLOCK_MS = 5_000;
/** While events that were left out can be tried again. */
const SHORT_BLOCK_MS = 1;
/**
 * Delay after a flush while few events arrive. The first event after an idle time is flushed at once; later ones
 * share a transaction, which at 1,000 events a second takes a quarter of Postgres' CPU.
 */
const FLUSH_INTERVAL_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/**
 * Writes events from the stream to Postgres. Entries are acknowledged after the transaction that stored them has
 * committed, and storing them again changes nothing. A crash at any point therefore neither loses nor duplicates
 * events. Any number of flushers may run.
 */
@Injectable()
export class Flusher {
  private readonly stopping = new AbortController();
  private readonly slow: SlowEvents;
  private readonly upkeep: Upkeep;
  private readonly batchSize = new BatchSize(
    (result) => this.onStored(result),
    (event, error) => this.onTooSlow(event, error),
  );
  private readonly reader: BatchReader;
  private joined = false;
  /** True while this consumer may own entries that it does not know of: after a start or a failure. */
  private mayOwnEntries = true;
  private failures = 0;
  private running: Promise<void> | undefined;
  private progressAt: number;
  private announce: (stored: FlushResult) => void = () => undefined;

  constructor(
    private readonly consumer: EventConsumer,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: FlusherMetrics,
    @Inject(FLUSH_SETTINGS) private readonly settings: FlushSettings,
  ) {
    this.reader = new BatchReader(consumer, () => this.batchSize.events);
    this.slow = new SlowEvents(consumer, clock, logger);
    this.upkeep = new Upkeep(consumer, this.slow, database, logger);
    this.progressAt = clock.now();
  }

  /** When the loop last completed a round or a transaction, in milliseconds since the Unix epoch. */
  get lastProgressAt(): number {
    return this.progressAt;
  }

  /** @param announce receives the result of each transaction after its commit */
  onCommit(announce: (stored: FlushResult) => void): void {
    this.announce = announce;
  }

  /** The entries that the flushers have not stored yet. */
  backlog(): Promise<StreamBacklog> {
    return this.consumer.backlog();
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Finishes the current flush, or leaves it to another flusher when that takes too long. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.consumer.end(this.running);
  }

  private async run(): Promise<void> {
    // Stores entries that were already read: another flusher would claim them only after a minute.
    while (!this.stopping.signal.aborted || this.reader.hasMore) {
      try {
        await this.turn();
        this.failures = 0;
        this.recordProgress();
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  private async turn(): Promise<void> {
    if (!this.joined) await this.consumer.join();
    this.joined = true;
    if (await this.upkeep.runIfDue(this.clock.now())) this.mayOwnEntries = true;
    if (!this.stopping.signal.aborted) await this.slow.retry((entries) => this.store(entries));
    if (this.mayOwnEntries && !this.stopping.signal.aborted) await this.flushOwn();
    const batch = await this.reader.next(this.slow.isDue ? SHORT_BLOCK_MS : BLOCK_MS);
    if (batch.entryIds.length === 0) return;
    const arrived = performance.now();
    if (batch.isFull && !this.stopping.signal.aborted) this.reader.prefetch();
    await this.flush(batch);
    if (!batch.isFull) await sleep(FLUSH_INTERVAL_MS - (performance.now() - arrived), this.stopping.signal);
  }

  private async flushOwn(): Promise<void> {
    // The prefetched entries are among the own ones.
    await this.reader.discardPrefetch();
    let last = '0';
    while (!this.stopping.signal.aborted) {
      const own = await this.reader.readOwn(last);
      if (own.entryIds.length === 0) break;
      await this.flush(own);
      last = own.entryIds.at(-1)!;
    }
    this.mayOwnEntries = false;
  }

  private async flush(entries: DecodedEntries): Promise<void> {
    const finish = this.metrics.startFlush(entries.entryIds.length);
    await this.store(entries);
    await this.slow.acknowledge(entries.entryIds);
    finish();
  }

  /** Retries until Postgres has stored the entries; reading them again would use up their delivery count. */
  private async store(entries: DecodedEntries): Promise<void> {
    for (;;) {
      try {
        await flushDecoded(this.database, entries, this.settings, this.batchSize);
        this.batchSize.succeeded(entries);
        return;
      } catch (error) {
        this.batchSize.failed(error, entries);
        if (this.stopping.signal.aborted) throw error;
        await this.backOff(error);
        // Waiting for Postgres counts as progress: a restart of the flusher would not help.
        if (isTransientDatabaseError(error)) this.recordProgress();
      }
    }
  }

  /** Runs after each commit: a retry of other events of the same entries would not report these again. */
  private onStored(result: FlushResult): void {
    this.recordProgress();
    this.slow.recordCommit();
    this.metrics.recordFlush(result);
    this.announce(result);
    for (const { streamEntryId, reason } of result.deadLetters) {
      this.logger.warn({ streamEntryId, reason }, 'Could not store an event; it is now a dead letter');
    }
  }

  private onTooSlow(event: ReceivedEvent<StreamEvent>, error: unknown): boolean {
    this.recordProgress();
    return this.slow.leaveOut(event, error);
  }

  private readonly recordProgress = (): void => void (this.progressAt = this.clock.now());

  private async recover(error: unknown): Promise<void> {
    this.mayOwnEntries = true;
    await this.reader.discardPrefetch();
    // After a flush of Redis the group no longer exists. The new one starts at the beginning, so it sees events that
    // have arrived since then.
    if (isMissingGroup(error)) {
      this.logger.warn('The consumer group no longer exists; creating it again');
      this.joined = false;
    } else if (!this.stopping.signal.aborted) {
      await this.backOff(error);
    }
  }

  private async backOff(error: unknown): Promise<void> {
    this.failures++;
    this.metrics.recordFailure();
    const milliseconds = backoffMs(this.failures, MAX_BACKOFF_MS);
    this.logger.warn({ err: error, failures: this.failures, milliseconds }, 'Flushing failed; retrying');
    await sleep(milliseconds, this.stopping.signal);
  }
}
