import { backoffMs } from '../../platform/clock/backoff.js';
import { sleep } from '../../platform/clock/sleep.js';
import type { Database } from '../../platform/database/database.js';
import type { Logger } from '../../platform/logging/logger.js';
import { decodeEntry } from '../stream/codec/event-codec.js';
import { isMissingGroup, type EventConsumer } from '../stream/event-consumer.js';
import { partsOf } from '../stream/entry-parts.js';
import type { StreamEntry } from '../stream/stream-entry.js';
import { emailOf } from '../stream/stream-event.js';
import type { TrailingGroup } from '../stream/trailing-group.js';
import type { EventStore } from './event-store.js';
import { knownEmails } from './known-emails.js';
import { applyChanges, CHANGES_AT_ONCE } from './apply-changes.js';
import { copyPage, recordMissing } from './store-gaps.js';
import { skipStored } from './skip-stored.js';
import type { StoreMetrics } from './store-metrics.js';
import { recordCaughtUp } from './store-progress.js';
import { rowOfEvent } from './store-row.js';
import { WRITER_LIMITS, type WriterLimits } from './writer-limits.js';

const ENTRIES = 500;
/** Of the entries of one insert: some 5,000 opens. */
const INSERT_BYTES = 256 * 1024;
const BLOCK_MS = 1_000;
const CHECK_MS = 15_000;
const CLAIM_IDLE_MS = 120_000;

/**
 * Writes events from the stream to the event store, independently of the flushers. It acknowledges entries that the
 * store has; any number of writers may run. While the store is down or slow it delays nothing: past a limit it skips
 * events that Postgres has, and copies them later.
 */
export class StoreWriter {
  private readonly stopping = new AbortController();
  private isReady = false;
  private mayOwnEntries = true;
  private checkAt = 0;
  private roundAt = 0;
  /** True while changes or hours are left that the stream does not have. */
  private hasMore = true;
  private failures = 0;
  private running: Promise<void> | undefined;

  constructor(
    private readonly consumer: EventConsumer,
    private readonly group: TrailingGroup,
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly logger: Logger,
    private readonly metrics: StoreMetrics,
    private readonly limits: WriterLimits = WRITER_LIMITS,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Leaves unwritten entries to another writer. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.consumer.end(this.running);
    await this.store.close().catch(() => undefined);
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.turn();
        if (this.failures > 0)
          this.logger.info({ failures: this.failures }, 'Events are written to the event store again');
        this.failures = 0;
      } catch (error) {
        this.mayOwnEntries = true;
        if (isMissingGroup(error)) this.isReady = false;
        await this.backOff(error);
      }
    }
  }

  private async turn(): Promise<void> {
    if (!this.isReady) await this.prepare();
    await this.claim();
    if (this.mayOwnEntries) await this.writeOwn();
    const arrived = performance.now();
    const entries = await this.consumer.readNew(ENTRIES, this.hasMore ? undefined : BLOCK_MS);
    if (!(await this.write(entries))) this.mayOwnEntries = true;
    if (entries.length === ENTRIES) await this.skipBacklog(this.limits.lagMs);
    await this.catchUp(entries.length < ENTRIES && !this.mayOwnEntries);
    if (entries.length === ENTRIES || this.hasMore) return;
    if (entries.length > 0) await sleep(this.limits.intervalMs - (performance.now() - arrived), this.stopping.signal);
  }

  /** Events that Postgres had before the group existed are not in the group's stream. */
  private async prepare(): Promise<void> {
    await this.join();
    await this.store.prepare();
    this.isReady = true;
  }

  /** Runs before the store responds, so that the stream keeps events from now on. */
  private async join(): Promise<void> {
    const isMember = await this.group.exists();
    if (!isMember) await recordMissing(this.database);
    await this.consumer.join();
    // Events that were flushed between the two.
    if (!isMember) await recordMissing(this.database);
  }

  /** Writes a part of what the stream does not have. @param isCurrent true when the stream is empty */
  private async catchUp(isCurrent: boolean): Promise<void> {
    const now = performance.now();
    if (!this.hasMore && now < this.roundAt) return;
    this.roundAt = now + this.limits.roundMs;
    const changes = await applyChanges(this.database, this.store, this.limits.removalDelayMs);
    this.metrics.recordWritten('change', changes);
    const copied = await copyPage(this.database, this.store);
    this.metrics.recordWritten('postgres', copied ?? 0);
    this.hasMore = changes === CHANGES_AT_ONCE || copied !== undefined;
    if (isCurrent && !this.hasMore) await recordCaughtUp(this.database);
  }

  private async claim(): Promise<void> {
    const now = performance.now();
    if (now < this.checkAt) return;
    this.checkAt = now + CHECK_MS;
    if ((await this.consumer.claimStale(CLAIM_IDLE_MS)) > 0) this.mayOwnEntries = true;
    await this.consumer.removeIdleConsumers();
  }

  private async writeOwn(): Promise<void> {
    let last = '0';
    while (!this.stopping.signal.aborted) {
      const own = await this.consumer.readOwn(ENTRIES, last);
      if (own.length === 0) break;
      if (!(await this.write(own))) return;
      last = own.at(-1)!.id;
    }
    this.mayOwnEntries = false;
  }

  /** @returns false if a backlog was skipped meanwhile, probably with the rest of the entries */
  private async write(entries: readonly StreamEntry[]): Promise<boolean> {
    for (const [index, part] of partsOf(entries, INSERT_BYTES).entries()) {
      if (index > 0 && (await this.skipBacklog(this.limits.lagMs))) return false;
      await this.writePart(part);
    }
    return true;
  }

  private async writePart(entries: readonly StreamEntry[]): Promise<void> {
    const events = entries.flatMap(({ packed }) => (packed ? decodeEntry(packed).events : []));
    const emails = await knownEmails(this.database, events.map(emailOf));
    const rows = events.flatMap((event) => {
      const email = emails.get(emailOf(event));
      return email === undefined ? [] : [rowOfEvent(event, email)];
    });
    await this.store.insert(rows);
    this.metrics.recordWritten('stream', rows.length);
    await this.consumer.acknowledge(entries.map(({ id }) => id));
  }

  private async backOff(error: unknown): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.failures++;
    this.metrics.recordFailure();
    const milliseconds = backoffMs(this.failures, this.limits.maxBackoffMs);
    this.logger.warn(
      { reason: String(error), failures: this.failures, milliseconds },
      'Writing events to the event store failed; retrying',
    );
    await this.skipBacklog(0).catch((reason: unknown) => {
      this.logger.warn({ reason: String(reason) }, 'Could not skip the backlog of the event store');
    });
    await sleep(milliseconds, this.stopping.signal);
  }

  /** @param lagMs how far behind the flushers this group must be at least @returns whether entries were skipped */
  private async skipBacklog(lagMs: number): Promise<boolean> {
    const { database, group, consumer, limits } = this;
    const hours = await skipStored({ database, group, consumer }, { streamBytes: limits.streamBytes, lagMs });
    if (hours === undefined) return false;
    this.logger.warn({ hours }, 'The event store is too far behind; its events follow from Postgres');
    return true;
  }
}
