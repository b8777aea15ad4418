import type { Database } from '../../platform/database/database.js';
import type { RunSettings } from '../../platform/config/settings.js';
import { storeDeadLetters } from '../dead-letters.js';
import type { StreamEntry } from '../stream/stream-entry.js';
import type { StreamEvent } from '../stream/stream-event.js';
import { deadLetterOf, flushBatch, type FlushResult, type ReceivedEvent } from './flush-batch.js';
import type { EventBudget } from './event-budget.js';
import { flushReports } from './flush-reports.js';
import { ALL_RULES_OFF, type RuleWindows } from './rules/hit.js';
import { decodeEntries, type DecodedEntries } from './decode-entries.js';

/**
 * Events per transaction. The more there are, the more of them share the rows of an email and its contact, which are
 * written once per transaction; but its locks are held longer, too.
 */
export const BATCH_EVENTS = 10_000;

/** Limits the events per transaction. Its `stored` is called after each one. */
export interface BatchLimit {
  readonly events: number;
  stored(): void;
}

const LARGEST: BatchLimit = { events: BATCH_EVENTS, stored: () => undefined };

/** SQLSTATE classes 22 and 23: the data is invalid, so a retry fails too. */
const DATA_ERROR = /^2[23]/;

const NOTHING: FlushResult = {
  ...{ stored: 0, repeated: 0, deadLetters: [], webhookDeliveries: [], fullEndpoints: 0, reports: [], live: [] },
};

export type FlushSettings = RuleWindows &
  Pick<RunSettings, 'SOFT_BOUNCE_LIMIT'> & { readonly eventBudget?: EventBudget };

const WITHOUT_RULES: FlushSettings = { SOFT_BOUNCE_LIMIT: 5, ...ALL_RULES_OFF };

/**
 * Writes entries to Postgres. Only events that cannot be stored become dead letters. A repeat
 * changes nothing.
 * @throws errors not caused by the data (connection, deadlock, disk full …): retry the entries
 */
export function flushEntries(
  database: Database,
  entries: readonly StreamEntry[],
  settings: Partial<FlushSettings> = {},
): Promise<FlushResult> {
  return flushDecoded(database, decodeEntries(entries), { ...WITHOUT_RULES, ...settings });
}

/** The same for entries that are already decoded. */
export async function flushDecoded(
  database: Database,
  { events, reports, deadLetters }: DecodedEntries,
  settings: FlushSettings,
  limit: BatchLimit = LARGEST,
): Promise<FlushResult> {
  const { eventBudget, SOFT_BOUNCE_LIMIT } = settings;
  await storeDeadLetters(database, deadLetters);
  return sum([
    { ...NOTHING, deadLetters },
    ...(await inBatches(database, events, limit, (batch) => flushBatch(database, batch, settings, eventBudget))),
    ...(await inBatches(database, reports, limit, (batch) => flushReports(database, batch, SOFT_BOUNCE_LIMIT))),
  ]);
}

type Flush<Event extends StreamEvent> = (batch: readonly ReceivedEvent<Event>[]) => Promise<FlushResult>;

async function inBatches<Event extends StreamEvent>(
  database: Database,
  events: readonly ReceivedEvent<Event>[],
  limit: BatchLimit,
  flush: Flush<Event>,
): Promise<FlushResult[]> {
  const results: FlushResult[] = [];
  for (let at = 0; at < events.length;) {
    const batch = events.slice(at, at + limit.events);
    results.push(await flushAroundBadData(database, batch, flush));
    limit.stored();
    at += batch.length;
  }
  return results;
}

/** Halves a rejected batch until the invalid event is alone, and stores that as a dead letter. */
async function flushAroundBadData<Event extends StreamEvent>(
  database: Database,
  batch: readonly ReceivedEvent<Event>[],
  flush: Flush<Event>,
): Promise<FlushResult> {
  try {
    return await flush(batch);
  } catch (error) {
    const code = sqlStateOf(error);
    if (!DATA_ERROR.test(code)) throw error;
    if (batch.length === 1) {
      const deadLetters = [deadLetterOf(batch[0]!, `data-error-${code}`)];
      await storeDeadLetters(database, deadLetters);
      return { ...NOTHING, deadLetters };
    }
    const middle = batch.length >> 1;
    const first = await flushAroundBadData(database, batch.slice(0, middle), flush);
    return sum([first, await flushAroundBadData(database, batch.slice(middle), flush)]);
  }
}

function sum(results: readonly FlushResult[]): FlushResult {
  return {
    stored: results.reduce((total, result) => total + result.stored, 0),
    repeated: results.reduce((total, result) => total + result.repeated, 0),
    deadLetters: results.flatMap((result) => result.deadLetters),
    webhookDeliveries: results.flatMap((result) => result.webhookDeliveries),
    fullEndpoints: results.reduce((most, result) => Math.max(most, result.fullEndpoints), 0),
    reports: results.flatMap((result) => result.reports),
    live: results.flatMap((result) => result.live),
  };
}

function sqlStateOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '');
}
