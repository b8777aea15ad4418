import { timeOfUuidV7 } from '../clock/uuid-v7.js';
import type { Database, SqlRunner } from '../database/database.js';
import { storeDeadLetters, type DeadLetter } from '../events/dead-letters.js';
import type { EngagementEvent } from '../stream/engagement-event.js';
import { encodeEvent, packEntry } from '../stream/event-codec.js';
import { LOCK_CONTACTS, LOCK_EMAILS, STORE_EVENTS } from './flush-statements.js';

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
}

interface StoredBatch {
  stored: number;
  unknownPlaces: number[];
  webhookDeliveries: string[];
}

/**
 * Stores a batch and moves all counters in one transaction. Repeating it, whole or in part, changes nothing.
 * An event of an email that does not exist becomes a dead letter: an email is committed before any of its
 * events can happen, so it was deleted, or Postgres has lost it.
 * @throws Postgres' error; then nothing of the batch is stored
 */
export function flushBatch(database: Database, batch: readonly ReceivedEvent[]): Promise<FlushResult> {
  return database.transaction(async (sql) => {
    await lockCounters(sql, batch);
    const { stored, unknownPlaces, webhookDeliveries } = await storeEvents(sql, batch);
    const deadLetters = unknownPlaces.map((place) => deadLetterOf(batch[place - 1]!, 'unknown-email'));
    await storeDeadLetters(sql, deadLetters);
    return { stored, repeated: batch.length - stored - deadLetters.length, deadLetters, webhookDeliveries };
  });
}

export function deadLetterOf({ event, streamEntryId }: ReceivedEvent, reason: DeadLetter['reason']): DeadLetter {
  return { streamEntryId, payload: packEntry([encodeEvent(event)]), reason };
}

async function lockCounters(sql: SqlRunner, batch: readonly ReceivedEvent[]): Promise<void> {
  const engaged = new Set<string>();
  const all = new Set<string>();
  for (const { event } of batch) {
    all.add(event.emailTrackingId);
    if (event.type !== 'sent') engaged.add(event.emailTrackingId);
  }
  if (engaged.size > 0) await sql.prepared('flush-lock-emails', LOCK_EMAILS, [[...engaged]]);
  await sql.prepared('flush-lock-contacts', LOCK_CONTACTS, [[...all]]);
}

async function storeEvents(sql: SqlRunner, batch: readonly ReceivedEvent[]) {
  const events = batch.map(({ event }) => event);
  const [result] = await sql.prepared<StoredBatch>('flush-store-events', STORE_EVENTS, [
    events.map((event) => event.id),
    events.map((event) => event.type),
    events.map((event) => timeOfUuidV7(event.id)),
    events.map((event) => event.emailTrackingId),
    events.map((event) => (event.type === 'clicked' ? event.linkPosition : null)),
    events.map((event) => (event.type === 'clicked' ? event.url : null)),
  ]);
  return result!;
}
