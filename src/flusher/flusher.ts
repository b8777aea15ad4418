import type { Clock } from '../platform/clock/clock.js';
import { sleep } from '../platform/clock/sleep.js';
import { isTransientDatabaseError } from '../platform/database/transient-error.js';
import type { Database } from '../platform/database/database.js';
import { ensureEventPartitions } from '../events/event-partitions.js';
import type { Logger } from '../platform/logging/logger.js';
import type { EventConsumer } from '../events/stream/event-consumer.js';
import { flushUnpacked } from '../events/ingest/flush-entries.js';
import type { FlusherMetrics } from './flusher-metrics.js';
import { BatchReader } from './batch-reader.js';
import { Schedule } from './schedule.js';
import type { UnpackedEntries } from '../events/ingest/decode-entries.js';

const BLOCK_MS = 1_000;
/**
 * Pause after a flush while events trickle in. The first event after a quiet time waits for nothing; those behind
 * it share a transaction, which at 1,000 events a second takes a quarter of Postgres' CPU.
 */
const FLUSH_INTERVAL_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** An entry that nobody has acknowledged for so long is claimed: three times the longest flush, generously. */
const CLAIM_IDLE_MS = 60_000;
const CLAIM_INTERVAL_MS = 15_000;
const CONSUMER_IDLE_MS = 600_000;
const DAY_MS = 86_400_000;
/** How long stop() waits for a flush in progress before it leaves the entries to be claimed by others. */
const STOP_PATIENCE_MS = 4_000;

/**
 * Brings events from the stream to Postgres. An entry is acknowledged after the transaction that stored it has
 * been committed, and storing it again changes nothing: whatever dies in between, nothing is lost or doubled.
 * Any number of flushers may run.
 */
export class Flusher {
  private readonly stopping = new AbortController();
  private readonly claims = new Schedule(CLAIM_INTERVAL_MS);
  private readonly partitions = new Schedule(DAY_MS);
  private readonly intake: BatchReader;
  private joined = false;
  /** True while entries may be this consumer's own that it does not know of: after a start or a failure. */
  private mayOwnEntries = true;
  private failures = 0;
  private running: Promise<void> | undefined;
  private progressAt: number;
  private wakeWebhooks: (deliveryIds: readonly string[]) => void = () => undefined;

  constructor(
    private readonly consumer: EventConsumer,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly metrics: FlusherMetrics,
  ) {
    this.intake = new BatchReader(consumer);
    this.progressAt = clock.now();
  }

  /** When a turn of the loop last succeeded, in milliseconds since the Unix epoch: every few seconds one does. */
  get lastProgressAt(): number {
    return this.progressAt;
  }

  /** @param wake told of webhook deliveries that a flush has written, once they are committed */
  onWebhooks(wake: (deliveryIds: readonly string[]) => void): void {
    this.wakeWebhooks = wake;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Finishes the flush in progress, or leaves it to others when that takes long. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.consumer.interrupt().catch(() => undefined);
    const patience = new AbortController();
    await Promise.race([this.running, sleep(STOP_PATIENCE_MS, patience.signal)]);
    patience.abort();
    await this.consumer.leave().catch(() => undefined);
    this.consumer.close();
  }

  private async run(): Promise<void> {
    // What was taken is stored before the end: nobody else would look for it within a minute.
    while (!this.stopping.signal.aborted || this.intake.hasMore) {
      try {
        await this.turn();
        this.failures = 0;
        this.progressAt = this.clock.now();
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  private async turn(): Promise<void> {
    if (!this.joined) await this.consumer.join();
    this.joined = true;
    await this.runMaintenance();
    if (this.mayOwnEntries && !this.stopping.signal.aborted) await this.flushOwn();
    const taken = await this.intake.next(BLOCK_MS);
    if (taken.entryIds.length === 0) return;
    const arrived = performance.now();
    if (taken.isFull && !this.stopping.signal.aborted) this.intake.takeAhead();
    await this.flush(taken);
    if (!taken.isFull) await sleep(FLUSH_INTERVAL_MS - (performance.now() - arrived), this.stopping.signal);
  }

  private async runMaintenance(): Promise<void> {
    const now = this.clock.now();
    if (this.partitions.isDue(now)) await this.makePartitions(now);
    if (this.claims.isDue(now)) {
      if ((await this.consumer.claimStale(CLAIM_IDLE_MS)) > 0) this.mayOwnEntries = true;
      await this.consumer.removeIdleConsumers(CONSUMER_IDLE_MS);
    }
  }

  /** Late partitions hurt nobody: the default one takes the events meanwhile. */
  private async makePartitions(now: number): Promise<void> {
    try {
      const made = await ensureEventPartitions(this.database, new Date(now));
      if (made.length > 0) this.logger.info({ partitions: made }, 'Event partitions made');
    } catch (error) {
      this.logger.warn({ reason: String(error) }, 'Event partitions could not be made; the next try follows');
      this.partitions.retryAt(now + CLAIM_IDLE_MS);
    }
  }

  private async flushOwn(): Promise<void> {
    // What was taken ahead is among what is found here.
    await this.intake.forgetAhead();
    let last = '0';
    while (!this.stopping.signal.aborted) {
      const own = await this.intake.takeOwn(last);
      if (own.entryIds.length === 0) break;
      await this.flush(own);
      last = own.entryIds.at(-1)!;
    }
    this.mayOwnEntries = false;
  }

  private async flush(entries: UnpackedEntries): Promise<void> {
    const finish = this.metrics.startFlush(entries.entryIds.length);
    await this.store(entries);
    await this.consumer.acknowledge(entries.entryIds);
    finish();
  }

  /** Tries until Postgres has the entries; reading them anew instead would wear out their count of deliveries. */
  private async store(entries: UnpackedEntries): Promise<void> {
    for (;;) {
      try {
        const { stored, repeated, deadLetters, webhookDeliveries, fullEndpoints } = await flushUnpacked(
          this.database,
          entries,
        );
        this.metrics.recordStored(stored, repeated);
        this.metrics.recordDeadLetters(deadLetters);
        if (fullEndpoints > 0) this.metrics.recordFullEndpoints(fullEndpoints);
        if (webhookDeliveries.length > 0) this.wakeWebhooks(webhookDeliveries);
        for (const { streamEntryId, reason } of deadLetters) {
          this.logger.warn({ streamEntryId, reason }, 'An event could not be stored; it is among the dead letters');
        }
        return;
      } catch (error) {
        if (this.stopping.signal.aborted) throw error;
        await this.backOff(error);
        // Waiting for a Postgres that is away is no standstill: a restart would not bring it back.
        if (isTransientDatabaseError(error)) this.progressAt = this.clock.now();
      }
    }
  }

  private async recover(error: unknown): Promise<void> {
    this.mayOwnEntries = true;
    await this.intake.forgetAhead();
    // After a flush of Redis the group is gone; made at the beginning, it sees what has arrived since.
    if (/NOGROUP|no such key/i.test(String(error))) {
      this.logger.warn('The consumer group is gone; it is made anew');
      this.joined = false;
    } else if (!this.stopping.signal.aborted) {
      await this.backOff(error);
    }
  }

  private async backOff(error: unknown): Promise<void> {
    this.failures++;
    this.metrics.recordFailure();
    const milliseconds = Math.min(100 * 2 ** Math.min(this.failures - 1, 10), MAX_BACKOFF_MS);
    this.logger.warn({ reason: String(error), failures: this.failures, milliseconds }, 'Flushing failed; trying again');
    await sleep(milliseconds, this.stopping.signal);
  }
}
