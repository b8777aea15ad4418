import type { Database } from '../database/database.js';
import { storeDeadLetters, type DeadLetter } from '../events/dead-letters.js';
import { decodeEntry } from '../stream/event-codec.js';
import type { StreamEntry } from '../stream/event-consumer.js';
import { deadLetterOf, flushBatch, type FlushResult, type ReceivedEvent } from './flush-batch.js';

/** Events per transaction: beyond a few thousand, larger ones gain nothing and only hold their locks longer. */
const BATCH_EVENTS = 5_000;
/** An entry that was handed out more often than this has killed its flushers. */
const MAX_DELIVERIES = 10;
/** Classes 22 and 23 of SQLSTATE: the data is at fault, and will be at the next try. */
const DATA_ERROR = /^2[23]/;

const NOTHING: FlushResult = { stored: 0, repeated: 0, deadLetters: [], webhookDeliveries: [] };

/**
 * Brings entries to Postgres, whatever is in them: what cannot be stored becomes a dead letter, and only that.
 * Repeating it changes nothing.
 * @throws what is not the data's fault (connection, deadlock, disk full …): the entries are to be tried again
 */
export async function flushEntries(database: Database, entries: readonly StreamEntry[]): Promise<FlushResult> {
  const { events, deadLetters } = sort(entries);
  await storeDeadLetters(database, deadLetters);
  const results: FlushResult[] = [{ ...NOTHING, deadLetters }];
  for (let at = 0; at < events.length; at += BATCH_EVENTS) {
    results.push(await flushAroundBadData(database, events.slice(at, at + BATCH_EVENTS)));
  }
  return sum(results);
}

function sort(entries: readonly StreamEntry[]): { events: ReceivedEvent[]; deadLetters: DeadLetter[] } {
  const events: ReceivedEvent[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const { id: streamEntryId, packed, raw, deliveries } of entries) {
    if (!raw) continue; // deleted before it was acknowledged: nothing is left to store
    if (!packed) deadLetters.push({ streamEntryId, payload: raw, reason: 'missing-field' });
    else if (deliveries > MAX_DELIVERIES) {
      deadLetters.push({ streamEntryId, payload: packed, reason: 'too-many-deliveries' });
    } else {
      const decoded = decodeEntry(packed);
      for (const event of decoded.events) events.push({ event, streamEntryId });
      for (const { bytes, reason } of decoded.undecodable) deadLetters.push({ streamEntryId, payload: bytes, reason });
    }
  }
  return { events, deadLetters };
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
  };
}

function sqlStateOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '');
}
