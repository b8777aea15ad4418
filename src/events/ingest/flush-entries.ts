import type { Database } from '../../platform/database/database.js';
import { storeDeadLetters } from '../dead-letters.js';
import type { StreamEntry } from '../stream/event-consumer.js';
import { deadLetterOf, flushBatch, type FlushResult, type ReceivedEvent } from './flush-batch.js';
import { unpackEntries, type UnpackedEntries } from './decode-entries.js';

/** Events per transaction: beyond a few thousand, larger ones gain nothing and only hold their locks longer. */
export const BATCH_EVENTS = 5_000;
/** Classes 22 and 23 of SQLSTATE: the data is at fault, and will be at the next try. */
const DATA_ERROR = /^2[23]/;

const NOTHING: FlushResult = { stored: 0, repeated: 0, deadLetters: [], webhookDeliveries: [], fullEndpoints: 0 };

/**
 * Brings entries to Postgres, whatever is in them: what cannot be stored becomes a dead letter, and only that.
 * Repeating it changes nothing.
 * @throws what is not the data's fault (connection, deadlock, disk full …): the entries are to be tried again
 */
export function flushEntries(database: Database, entries: readonly StreamEntry[]): Promise<FlushResult> {
  return flushUnpacked(database, unpackEntries(entries));
}

/** The same with entries that are unpacked already. */
export async function flushUnpacked(
  database: Database,
  { events, deadLetters }: UnpackedEntries,
): Promise<FlushResult> {
  await storeDeadLetters(database, deadLetters);
  const results: FlushResult[] = [{ ...NOTHING, deadLetters }];
  for (let at = 0; at < events.length; at += BATCH_EVENTS) {
    results.push(await flushAroundBadData(database, events.slice(at, at + BATCH_EVENTS)));
  }
  return sum(results);
}

/** Halves a batch that Postgres refuses until the one bad event stands alone, then buries that. */
async function flushAroundBadData(database: Database, batch: readonly ReceivedEvent[]): Promise<FlushResult> {
  try {
    return await flushBatch(database, batch);
  } catch (error) {
    const code = sqlStateOf(error);
    if (!DATA_ERROR.test(code)) throw error;
    if (batch.length === 1) {
      const deadLetters = [deadLetterOf(batch[0]!, `data-error-${code}`)];
      await storeDeadLetters(database, deadLetters);
      return { ...NOTHING, deadLetters };
    }
    const middle = batch.length >> 1;
    const first = await flushAroundBadData(database, batch.slice(0, middle));
    return sum([first, await flushAroundBadData(database, batch.slice(middle))]);
  }
}

function sum(results: readonly FlushResult[]): FlushResult {
  return {
    stored: results.reduce((total, result) => total + result.stored, 0),
    repeated: results.reduce((total, result) => total + result.repeated, 0),
    deadLetters: results.flatMap((result) => result.deadLetters),
    webhookDeliveries: results.flatMap((result) => result.webhookDeliveries),
    fullEndpoints: results.reduce((most, result) => Math.max(most, result.fullEndpoints), 0),
  };
}

function sqlStateOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '');
}
