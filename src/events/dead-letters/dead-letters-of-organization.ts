import type { Sql } from '../../platform/database/database.js';
import { letterPosition, readLetterPosition } from './letter-position.js';
import { removeFromDeadLetters, type LetterPayload } from './remove-from-dead-letters.js';

/** Few, because a letter can have hundreds of events. */
const PAGE = 100;

/** $1 time and $2 ID of the last one before. */
const NEXT = `
select id, payload, created_at as "createdAt" from event_dead_letters
 where (created_at, id) > ($1::timestamptz, $2::uuid) order by created_at, id limit ${PAGE}`;

interface Letter extends LetterPayload {
  readonly createdAt: Date;
}

/**
 * Deletes events of an organization's emails that could not be stored, page by page, while it still has these emails.
 * Payloads name no organization, so that this reads all dead letters.
 * @param after the result of the previous page; empty for the first one
 * @returns null after the last page
 */
export async function deleteDeadLettersOf(sql: Sql, organizationId: string, after: string): Promise<string | null> {
  const letters = await sql.query<Letter>(NEXT, readLetterPosition(after));
  const last = letters.at(-1);
  if (!last) return null;
  await removeFromDeadLetters(sql, letters, (_, owner) => owner === organizationId);
  return letterPosition(last);
}
