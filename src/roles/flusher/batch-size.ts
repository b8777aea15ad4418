import { isInterruption, isTransientDatabaseError } from '../../platform/database/transient-error.js';
import type { DecodedEntries } from '../../events/ingest/decode-entries.js';
import type { FlushResult, ReceivedEvent } from '../../events/ingest/flush-batch.js';
import { BATCH_EVENTS, type Batches } from '../../events/ingest/flush-entries.js';
import type { StreamEvent } from '../../events/stream/stream-event.js';

/** Slow growth, because each batch that is too large costs the time limit of a statement. */
const GROWTH = 1.1;
/**
 * Events that are already stored come in runs: while Redis is slow, entries are in the stream and in a spool. One of
 * them costs its batch a rolled-back transaction, about as much as five batches cost that look for stored events first.
 */
const CHECKED_BATCHES = 5;

/**
 * The events per transaction: fewer after a statement exceeded its time limit, or Postgres its memory. The same events
 * would exceed it again each time, and all events behind them would wait: those of emails to 50 recipients have 50 rows
 * each.
 */
export class BatchSize implements Batches {
  private limit = BATCH_EVENTS;
  private batchesToCheck = 0;

  constructor(
    private readonly onStored: (result: FlushResult) => void,
    readonly leaveOut: (event: ReceivedEvent<StreamEvent>, error: unknown) => boolean,
  ) {}

  get events(): number {
    return this.limit;
  }

  get mayRepeat(): boolean {
    return this.batchesToCheck > 0;
  }

  stored(result: FlushResult): void {
    this.batchesToCheck = result.repeated > 0 ? CHECKED_BATCHES : Math.max(0, this.batchesToCheck - 1);
    this.onStored(result);
  }

  /** Call it once all events of the entries are stored: a part of them may have been stored before. */
  succeeded(entries: DecodedEntries): void {
    if (mostOf(entries) >= this.limit) this.limit = Math.min(BATCH_EVENTS, Math.ceil(this.limit * GROWTH));
  }

  failed(error: unknown, entries: DecodedEntries): void {
    if (!isTransientDatabaseError(error) || isInterruption(error)) return;
    this.limit = Math.max(1, Math.min(this.limit, mostOf(entries)) >> 1);
  }
}

/** Transactions have either events or reports. */
function mostOf({ events, reports }: DecodedEntries): number {
  return Math.max(events.length, reports.length);
}
