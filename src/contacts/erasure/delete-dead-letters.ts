import { letterPosition, readLetterPosition } from '../../events/dead-letters/letter-position.js';
import { removeFromDeadLetters, type LetterPayload } from '../../events/dead-letters/remove-from-dead-letters.js';
import type { StreamEvent } from '../../events/stream/stream-event.js';
import type { Sql } from '../../platform/database/database.js';
import type { Person } from './person.js';

/** Few, because a letter can have hundreds of events, and a step searches all of them. */
const PAGE = 500;

/**
 * Those of a page that may name the person, and the last one. Addresses are ASCII, which this encoding keeps. Bytes
 * before and after them may look like a part of a longer one. $1 time and $2 ID of the last one before, $3 pattern.
 */
const FIND = `
with page as materialized (
  select id, payload, created_at from event_dead_letters
   where (created_at, id) > ($1::timestamptz, $2::uuid) order by created_at, id limit ${PAGE}
), last as (
  select id from page order by created_at desc, id desc limit 1
)
select id, payload, created_at as "createdAt" from page
 where encode(payload, 'escape') ~* $3 or id = (select id from last)
 order by created_at, id`;

interface FoundLetter extends LetterPayload {
  readonly createdAt: Date;
}

/**
 * Deletes events that could not be stored and that name the person, page by page: those of all organizations are stored
 * together, and there can be millions. Events of emails of other organizations stay; events of unknown emails are also
 * deleted.
 * @param after the result of the previous page; empty for the first one
 * @returns undefined after the last page
 */
export async function deleteDeadLettersAbout(sql: Sql, person: Person, after: string): Promise<string | undefined> {
  const letters = await sql.query<FoundLetter>(FIND, [...readLetterPosition(after), person.anywhere]);
  const last = letters.at(-1);
  if (!last) return undefined;
  await removeFromDeadLetters(
    sql,
    letters,
    (record, owner) => names(record, person) && (owner === undefined || owner === person.organizationId),
  );
  return letterPosition(last);
}

function names(record: StreamEvent | Buffer, { addressKey, anywhere, pattern }: Person): boolean {
  if (Buffer.isBuffer(record)) return new RegExp(anywhere, 'i').test(record.toString('latin1'));
  if (record.type === 'recipient' && String(record.recipient).toLowerCase() === addressKey) return true;
  const text = record.type === 'recipient' ? record.reason : record.type === 'clicked' ? record.url : undefined;
  return text !== undefined && new RegExp(pattern, 'i').test(text);
}
