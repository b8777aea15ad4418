import type { Sql } from '../platform/database/database.js';
import { decodeEntry } from './stream/codec/event-codec.js';
import { emailOf } from './stream/stream-event.js';

const PAGE = 500;

/** $1 time and $2 ID of the last one before. */
const NEXT = `
select id, payload, created_at as "createdAt" from event_dead_letters
 where (created_at, id) > ($1::timestamptz, $2::uuid) order by created_at, id limit ${PAGE}`;
/** $1 organization, $2 IDs or tracking IDs of emails. */
const EMAILS = `
select e.id, e.tracking_id as "trackingId" from emails e
 where e.organization_id = $1 and (e.id::text = any($2::text[]) or e.tracking_id = any($2::text[]))`;

interface Letter extends Record<string, unknown> {
  readonly id: string;
  readonly payload: Buffer;
  readonly createdAt: Date;
}

/**
 * Deletes events of an organization's emails that could not be stored, page by page, while it still has these emails.
 * Payloads name no organization, so that this reads all dead letters.
 * @param after the result of the previous page; empty for the first one
 * @returns null after the last page
 */
export async function deleteDeadLettersOf(sql: Sql, organizationId: string, after: string): Promise<string | null> {
  const [time, id] = after === '' ? [new Date(0).toISOString(), organizationId] : after.split(' ');
  const letters = await sql.query<Letter>(NEXT, [time, id]);
  const last = letters.at(-1);
  if (!last) return null;
  const named = letters.map((letter) => ({ id: letter.id, emails: decodeEntry(letter.payload).events.map(emailOf) }));
  const owned = await sql.query<{ id: string; trackingId: string }>(EMAILS, [
    organizationId,
    named.flatMap(({ emails }) => emails),
  ]);
  const keys = new Set(owned.flatMap((email) => [email.id, email.trackingId]));
  const doomed = named.filter(({ emails }) => emails.some((email) => keys.has(email)));
  if (doomed.length > 0) {
    await sql.query('delete from event_dead_letters where id = any($1::uuid[])', [doomed.map((letter) => letter.id)]);
  }
  return `${last.createdAt.toISOString()} ${last.id}`;
}
