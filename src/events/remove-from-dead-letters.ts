import type { Sql } from '../platform/database/database.js';
import { splitNames } from './email-names.js';
import { decodeEntry } from './stream/codec/event-codec.js';
import { emailOf, type StreamEvent } from './stream/stream-event.js';

/** Two lookups, because a planner with one condition may read all emails. $1 IDs, $2 tracking IDs. */
const OWNERS = `
select id, tracking_id as "trackingId", organization_id as "organizationId" from emails where id = any($1::uuid[])
union all
select id, tracking_id, organization_id from emails where tracking_id = any($2::text[])`;

/** A dead letter as far as this needs it. */
export interface LetterPayload extends Record<string, unknown> {
  readonly id: string;
  readonly payload: Buffer;
}

/**
 * Deletes dead letters whose records are all doomed.
 * @param isDoomed gets an event, or the bytes of a record that cannot be decoded, and the organization of its email if
 * known
 */
export async function removeFromDeadLetters(
  sql: Sql,
  letters: readonly LetterPayload[],
  isDoomed: (record: StreamEvent | Buffer, organizationId: string | undefined) => boolean,
): Promise<void> {
  const decoded = letters.map(({ id, payload }) => ({ id, ...decodeEntry(payload) }));
  const owners = await ownersOf(
    sql,
    decoded.flatMap(({ events }) => events.map(emailOf)),
  );
  const gone = decoded.filter(
    ({ events, undecodable }) =>
      events.some((event) => isDoomed(event, owners.get(emailOf(event)))) ||
      undecodable.some(({ bytes }) => isDoomed(bytes, undefined)),
  );
  if (gone.length === 0) return;
  await sql.query('delete from event_dead_letters where id = any($1::uuid[])', [gone.map(({ id }) => id)]);
}

/** The organizations of emails, by ID and by tracking ID. */
async function ownersOf(sql: Sql, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const split = splitNames(names);
  if (!split) return new Map();
  const rows = await sql.query<{ id: string; trackingId: string; organizationId: string }>(OWNERS, [
    split.ids,
    split.trackingIds,
  ]);
  return new Map(
    rows.flatMap(({ id, trackingId, organizationId }) => [[id, organizationId] as const, [trackingId, organizationId]]),
  );
}
