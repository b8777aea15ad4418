import { isInterruption, isTransientDatabaseError } from '../../platform/database/transient-error.js';
import type { DecodedEntries } from '../../events/ingest/decode-entries.js';
import type { FlushResult, ReceivedEvent } from '../../events/ingest/flush-batch.js';
import { BATCH_EVENTS, type Batches } from '../../events/ingest/flush-entries.js';
import type { StreamEvent } from '../../events/stream/stream-event.js';

/** Slow growth, because each batch that is too large costs the time limit of a statement. */
const GROWTH = 1.1;

/**
 * The events per transaction: fewer after a statement exceeded its time limit, or Postgres its memory. The same events
 * would exceed it again each time, and all events behind them would wait: those of emails to 50 recipients have 50 rows
 * each.
 */
export class BatchSize implements Batches {
  private limit = BATCH_EVENTS;

  constructor(
    readonly stored: (result: FlushResult) => void,
    readonly leaveOut: (event: ReceivedEvent<StreamEvent>) => boolean,
  ) {}

  get events(): number {
    return this.limit;
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
