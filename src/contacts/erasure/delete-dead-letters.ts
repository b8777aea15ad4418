import { removeFromDeadLetters, type LetterPayload } from '../../events/remove-from-dead-letters.js';
import type { StreamEvent } from '../../events/stream/stream-event.js';
import type { Sql } from '../../platform/database/database.js';
import type { Person } from './person.js';

/**
 * Addresses are ASCII, which this encoding keeps. Bytes before and after them may look like a part of a longer one.
 * $1 pattern.
 */
const FIND = `select id, payload from event_dead_letters where encode(payload, 'escape') ~* $1`;

/**
 * Deletes events that could not be stored and that name the person. Events of emails of other organizations stay;
 * events of unknown emails are also deleted.
 */
export async function deleteDeadLettersAbout(sql: Sql, person: Person): Promise<void> {
  const letters = await sql.query<LetterPayload>(FIND, [person.anywhere]);
  await removeFromDeadLetters(
    sql,
    letters,
    (record, owner) => names(record, person) && (owner === undefined || owner === person.organizationId),
  );
}

function names(record: StreamEvent | Buffer, { addressKey, anywhere, pattern }: Person): boolean {
  if (Buffer.isBuffer(record)) return new RegExp(anywhere, 'i').test(record.toString('latin1'));
  if (record.type === 'recipient' && String(record.recipient).toLowerCase() === addressKey) return true;
  const text = record.type === 'recipient' ? record.reason : record.type === 'clicked' ? record.url : undefined;
  return text !== undefined && new RegExp(pattern, 'i').test(text);
}
