import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { Database, Sql, Transaction } from '../../platform/database/database.js';
import { storeDeadLetters, type DeadLetter } from '../dead-letters.js';
import type { EngagementEvent } from '../engagement-event.js';
import { encodeEvent, packEntry } from '../stream/event-codec.js';
import { countEvents } from './count-events.js';
import { nameLinks, storeSums, type SumOfEmail } from './event-sums.js';
import { COPY_EVENTS, rowsOf, type EventOfEmail } from './event-rows.js';
import { lockEmails, type KnownEmail } from './lock-emails.js';
import { CounterDeltas } from './counter-deltas.js';
import { tellWebhooks } from './insert-webhook-deliveries.js';

/** An event, and the stream entry that brought it. */
export interface ReceivedEvent {
  readonly event: EngagementEvent;
  readonly streamEntryId: string;
}

export interface FlushResult {
  /** Events that were not there before. */
  readonly stored: number;
  /** Events that were there already. */
  readonly repeated: number;
  readonly deadLetters: readonly DeadLetter[];
  /** Ids of the webhook deliveries that tell of what was stored. */
  readonly webhookDeliveries: readonly string[];
  /** Webhooks that were not told because too much waits for them. */
  readonly fullEndpoints: number;
}

const UNIQUE_VIOLATION = '23505';

/** $1 ids of events, $2 and $3 when the first and the last of them happened, in milliseconds. */
const STORED_EVENTS = `
select id from events
where id = any($1::uuid[]) and occurred_at between to_timestamp($2 / 1000.0) and to_timestamp($3 / 1000.0)
union select id from event_sums where id = any($1::uuid[])`;

/**
 * Stores a batch and moves all counters in one transaction. Repeating it, whole or in part, changes nothing.
 * An event of an email that does not exist becomes a dead letter: an email is committed before any of its
 * events can happen, so it was deleted, or Postgres has lost it.
 *
 * Hardly ever is any of it there already. So it is copied as if nothing were, which takes Postgres half the work of
 * an insert that asks first; the key of the events refuses what is wrong about that, and only then they are sorted out.
 * @throws Postgres' error; then nothing of the batch is stored
 */
export async function flushBatch(database: Database, batch: readonly ReceivedEvent[]): Promise<FlushResult> {
  try {
    return await database.transaction(async (sql) => {
      const emails = await lockEmails(sql, eventsOf(batch));
      return store(sql, batch, emails);
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
  }
  return database.transaction(async (sql) => {
    // Whoever stores the same events holds the same locks: what is not there now comes from nobody else.
    const emails = await lockEmails(sql, eventsOf(batch));
    const fresh = await withoutStored(sql, batch);
    const result = await store(sql, fresh, emails);
    return { ...result, repeated: result.repeated + batch.length - fresh.length };
  });
}

export function deadLetterOf({ event, streamEntryId }: ReceivedEvent, reason: DeadLetter['reason']): DeadLetter {
  return { streamEntryId, payload: packEntry([encodeEvent(event)]), reason };
}

/** Stores events that are not there yet. */
async function store(
  sql: Transaction,
  batch: readonly ReceivedEvent[],
  emails: ReadonlyMap<string, KnownEmail>,
): Promise<FlushResult> {
  const tally = new CounterDeltas();
  const fresh: EventOfEmail[] = [];
  const sums: SumOfEmail[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const received of batch) {
    const { event } = received;
    const email = emails.get(event.emailTrackingId);
    if (!email) {
      deadLetters.push(deadLetterOf(received, 'unknown-email'));
    } else if (email.contactIds.length > 0) {
      if (event.type === 'summed') sums.push({ event, email });
      else fresh.push({ event, email });
      tally.add(event, email);
    }
  }
  if (fresh.length > 0) await sql.copyIn(COPY_EVENTS, rowsOf(fresh));
  await storeSums(sql, sums);
  await nameLinks(sql, tally);
  await countEvents(sql, tally);
  const { deliveries: webhookDeliveries, fullEndpoints } = await tellWebhooks(sql, fresh);
  await storeDeadLetters(sql, deadLetters);
  const stored = fresh.length + sums.length;
  return {
    stored,
    repeated: batch.length - stored - deadLetters.length,
    deadLetters,
    webhookDeliveries,
    fullEndpoints,
  };
}

/** Each event once, and without those that are stored. */
async function withoutStored(sql: Sql, batch: readonly ReceivedEvent[]): Promise<ReceivedEvent[]> {
  const times = batch.map(({ event }) => timeOfUuidV7(event.id));
  const range = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const ids = batch.map(({ event }) => event.id);
  const stored = await sql.query<{ id: string }>(STORED_EVENTS, [ids, ...range]);
  const seen = new Set(stored.map(({ id }) => id));
  return batch.filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
}

function eventsOf(batch: readonly ReceivedEvent[]): EngagementEvent[] {
  return batch.map(({ event }) => event);
}
