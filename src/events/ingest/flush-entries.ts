import type { Database } from '../../platform/database/database.js';
import type { RunSettings } from '../../platform/config/settings.js';
import { exceedsLimit } from '../../platform/database/transient-error.js';
import { storeDeadLetters } from '../dead-letters/dead-letters.js';
import type { StreamEvent } from '../stream/stream-event.js';
import { deadLetterOf, flushBatch, flushUnstored, type FlushResult, type ReceivedEvent } from './flush-batch.js';
import type { EventBudget } from './event-budget.js';
import { flushReports } from './flush-reports.js';
import type { RuleWindows } from './rules/hit.js';
import type { DecodedEntries } from './decode-entries.js';

/**
 * Events per transaction. The more there are, the more of them share the rows of an email and its contact, which are
 * written once per transaction; but its locks are held longer, too.
 */
export const BATCH_EVENTS = 10_000;

/** How entries are stored: in transactions of so many events, each of which reports its result after its commit. */
export interface Batches {
  readonly events: number;
  /** True if the next batch probably has events that are already stored. */
  readonly mayRepeat?: boolean;
  stored(result: FlushResult): void;
  /**
   * Called for an event that exceeded a limit of Postgres alone in its transaction, with the error.
   * @returns whether to go on without it; otherwise the error is thrown
   */
  leaveOut?(event: ReceivedEvent<StreamEvent>, error: unknown): boolean;
}

/**
 * SQLSTATE classes 21 to 23 and 54: the data is invalid or exceeds a limit of Postgres. XX001 and XX002: a row or an
 * index that it needs is damaged. A retry fails too, and the events of all other rows would wait for it.
 */
const DATA_ERROR = /^(2[123]|54...$|XX00[12]$)/;

const NOTHING: FlushResult = {
  ...{ stored: 0, repeated: 0, dropped: 0, deadLetters: [], webhookDeliveries: [], fullEndpoints: 0, reports: [] },
  live: [],
};

export type FlushSettings = RuleWindows &
  Pick<RunSettings, 'SOFT_BOUNCE_LIMIT'> & { readonly eventBudget?: EventBudget };

/**
 * Writes decoded entries to Postgres. Only events that cannot be stored become dead letters. A repeat changes nothing,
 * and reports nothing again.
 * @throws errors not caused by the data (connection, deadlock, disk full …): retry the entries
 */
export async function flushDecoded(
  database: Database,
  { events, reports, deadLetters }: DecodedEntries,
  settings: FlushSettings,
  batches: Batches,
): Promise<void> {
  const { eventBudget, SOFT_BOUNCE_LIMIT } = settings;
  await storeDeadLetters(database, deadLetters);
  await inBatches(database, events, batches, (batch) => {
    const flush = batches.mayRepeat ? flushUnstored : flushBatch;
    return flush(database, batch, settings, eventBudget);
  });
  await inBatches(database, reports, batches, (batch) => flushReports(database, batch, SOFT_BOUNCE_LIMIT));
  if (deadLetters.length > 0) batches.stored({ ...NOTHING, deadLetters });
}

type Flush<Event extends StreamEvent> = (batch: readonly ReceivedEvent<Event>[]) => Promise<FlushResult>;

async function inBatches<Event extends StreamEvent>(
  database: Database,
  events: readonly ReceivedEvent<Event>[],
  batches: Batches,
  flush: Flush<Event>,
): Promise<void> {
  for (let at = 0; at < events.length;) {
    const batch = nextBatch(events, at, batches.events);
    try {
      for await (const result of flushAroundBadData(database, batch, flush)) batches.stored(result);
    } catch (error) {
      if (batch.length > 1 || !exceedsLimit(error) || !batches.leaveOut?.(batch[0]!, error)) throw error;
    }
    at += batch.length;
  }
}

/**
 * The events from `at` on that share a transaction. A sum counts once more for each of its links, because each is a row
 * to write and a URL to read.
 */
function nextBatch<Event extends StreamEvent>(
  events: readonly ReceivedEvent<Event>[],
  at: number,
  most: number,
): readonly ReceivedEvent<Event>[] {
  let end = at;
  for (let size = 0; end < events.length; end++) {
    const { event } = events[end]!;
    size += event.type === 'summed' ? 1 + event.clicks.length : 1;
    if (size > most && end > at) break;
  }
  return events.slice(at, end);
}

/** Halves a rejected batch until the invalid event is alone, and stores that as a dead letter. */
async function* flushAroundBadData<Event extends StreamEvent>(
  database: Database,
  batch: readonly ReceivedEvent<Event>[],
  flush: Flush<Event>,
): AsyncGenerator<FlushResult> {
  const result = await flush(batch).catch((error: unknown) => {
    if (DATA_ERROR.test(sqlStateOf(error))) return sqlStateOf(error);
    throw error;
  });
  if (typeof result !== 'string') {
    yield result;
  } else if (batch.length === 1) {
    const deadLetters = [deadLetterOf(batch[0]!, `data-error-${result}`)];
    await storeDeadLetters(database, deadLetters);
    yield { ...NOTHING, deadLetters };
  } else {
    const middle = batch.length >> 1;
    yield* flushAroundBadData(database, batch.slice(0, middle), flush);
    yield* flushAroundBadData(database, batch.slice(middle), flush);
  }
}

function sqlStateOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '');
}
