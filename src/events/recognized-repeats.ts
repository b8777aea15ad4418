import { timeOfUuidV7 } from '../platform/clock/uuid-v7.js';
import type { Sql } from '../platform/database/database.js';
import { decodeEntry } from './stream/codec/event-codec.js';

/** How long a repeated sum is recognized: longer than events can wait anywhere except as dead letters. */
const DAYS = 35;
const DAYS_MS = DAYS * 86_400_000;

interface Letter {
  readonly payload: Buffer;
  readonly reason: string;
  readonly createdAt: Date;
}

/** The only letters of which flushers may have stored a part before they ended. */
const PARTLY_STORED = 'too-many-deliveries';

/** A redriven letter must still be recognized, however long it lies. */
const SUMS_KEPT_FROM = `
select least(now(), (select min(created_at) from event_dead_letters where reason = '${PARTLY_STORED}'))
       - interval '${DAYS} days' as "keptFrom"`;

/** Sums that were counted before this time may be deleted. */
export async function sumsKeptFrom(sql: Sql): Promise<Date> {
  const [row] = await sql.query<{ keptFrom: Date }>(SUMS_KEPT_FROM);
  return row!.keptFrom;
}

/** The time before which events are deleted, in milliseconds. */
export async function eventsKeptFrom(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ keptFrom: Date | null }>('select kept_from as "keptFrom" from event_history');
  return row?.keptFrom?.getTime() ?? 0;
}

/**
 * True for a letter with events that may be counted already, although Postgres no longer has what shows it: the events
 * of their month are deleted, or their sums were before the letter existed.
 * @param eventsKept from `eventsKeptFrom`
 */
export function mayCountTwice({ payload, reason, createdAt }: Letter, eventsKept: number): boolean {
  if (reason !== PARTLY_STORED) return false;
  const recognizedFrom = Math.max(eventsKept, createdAt.getTime() - DAYS_MS);
  return decodeEntry(payload).events.some(({ id }) => timeOfUuidV7(id) < recognizedFrom);
}

/**
 * Keeps the sums of these letters as if they had just been counted: a re-drive deletes the letters, which keep them so
 * far, before flushers read the appended entries.
 */
export async function keepSumsOf(sql: Sql, letters: readonly Letter[]): Promise<void> {
  const events = letters
    .filter(({ reason }) => reason === PARTLY_STORED)
    .flatMap(({ payload }) => decodeEntry(payload).events);
  const ids = events.filter(({ type }) => type === 'summed').map(({ id }) => id);
  if (ids.length > 0) await sql.query('update event_sums set counted_at = now() where id = any($1::uuid[])', [ids]);
}
