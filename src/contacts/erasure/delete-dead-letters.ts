import { decodeEntry } from '../../events/stream/codec/event-codec.js';
import { emailOf, type StreamEvent } from '../../events/stream/stream-event.js';
import type { Sql } from '../../platform/database/database.js';
import type { Person } from './person.js';

/** Addresses are ASCII, which this encoding keeps. $1 key. */
const FIND = `select id, payload from event_dead_letters where strpos(lower(encode(payload, 'escape')), $1) > 0`;
/** Which of the emails belong to other organizations. $1 IDs or tracking IDs, $2 organization. */
const OF_OTHERS = `
select e.id, e.tracking_id as "trackingId" from emails e
 where (e.id::text = any($1::text[]) or e.tracking_id = any($1::text[])) and e.organization_id <> $2`;

/**
 * Deletes events that could not be stored and that name the person. Events of emails of other organizations stay;
 * events of unknown emails are also deleted.
 */
export async function deleteDeadLettersAbout(sql: Sql, person: Person): Promise<void> {
  const candidates = await sql.query<{ id: string; payload: Buffer }>(FIND, [person.addressKey]);
  const letters = candidates
    .map(({ id, payload }) => ({ id, ...decodeEntry(payload) }))
    .filter(({ events, undecodable }) => undecodable.length > 0 || events.some((event) => names(event, person)));
  if (letters.length === 0) return;
  const others = await sql.query<{ id: string; trackingId: string }>(OF_OTHERS, [
    letters.flatMap(({ events }) => events.map(emailOf)),
    person.organizationId,
  ]);
  const foreign = new Set(others.flatMap(({ id, trackingId }) => [id, trackingId]));
  const ids = letters.filter(({ events }) => !events.some((event) => foreign.has(emailOf(event)))).map(({ id }) => id);
  await sql.query('delete from event_dead_letters where id = any($1::uuid[])', [ids]);
}

function names(event: StreamEvent, { addressKey, pattern }: Person): boolean {
  if (event.type === 'recipient' && String(event.recipient).toLowerCase() === addressKey) return true;
  const text = event.type === 'recipient' ? event.reason : event.type === 'clicked' ? event.url : undefined;
  return text !== undefined && new RegExp(pattern, 'i').test(text);
}
