import type { Sql } from '../../platform/database/database.js';

/** Rows per transaction. */
const BATCH = 5_000;

/** Flushes lock the contact, too: none adds events meanwhile. */
const LOCK = `select from contacts where id = $1 for update`;
const DELETE_EVENTS = `
delete from events where (id, ordinal, occurred_at) in (
  select id, ordinal, occurred_at from events where contact_id = $1 limit ${BATCH})
returning 1 as deleted`;

/** Deletes a contact without emails, and its events. @returns false when events are left */
export async function deleteContact(sql: Sql, contactId: string): Promise<boolean> {
  await sql.query(LOCK, [contactId]);
  if ((await sql.query(DELETE_EVENTS, [contactId])).length === BATCH) return false;
  await sql.query('delete from contacts where id = $1', [contactId]);
  return true;
}
