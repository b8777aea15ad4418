import type { Sql } from '../../platform/database/database.js';

/** Rows per transaction. */
const BATCH = 5_000;

/** Flushes also lock the contact, so none adds events at the same time. */
const LOCK = `select from contacts where id = $1 for update`;
/**
 * The time of the last event of a batch. Both statements read the index of the contact's events: events by their keys
 * would cost a scan of the events of all organizations for each batch.
 */
const LAST_OF_BATCH = `
select occurred_at::text as "lastAt" from events where contact_id = $1 order by occurred_at offset ${BATCH - 1} limit 1`;
const DELETE_EVENTS = `delete from events where contact_id = $1 and occurred_at <= coalesce($2::timestamptz, 'infinity')`;

/** Deletes a contact without emails, and its events. @returns false when events are left */
export async function deleteContact(sql: Sql, contactId: string): Promise<boolean> {
  await sql.query(LOCK, [contactId]);
  const [last] = await sql.query<{ lastAt: string }>(LAST_OF_BATCH, [contactId]);
  await sql.query(DELETE_EVENTS, [contactId, last?.lastAt ?? null]);
  if (last) return false;
  await sql.query('delete from contacts where id = $1', [contactId]);
  return true;
}
