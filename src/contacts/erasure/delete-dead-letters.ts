import { removeFromDeadLetters, type LetterPayload } from '../../events/remove-from-dead-letters.js';
import type { StreamEvent } from '../../events/stream/stream-event.js';
import type { Sql } from '../../platform/database/database.js';
import type { Person } from './person.js';

/** Addresses are ASCII, which this encoding keeps. $1 key. */
const FIND = `select id, payload from event_dead_letters where strpos(lower(encode(payload, 'escape')), $1) > 0`;

/**
 * Deletes events that could not be stored and that name the person. Events of emails of other organizations stay;
 * events of unknown emails are also deleted.
 */
export async function deleteDeadLettersAbout(sql: Sql, person: Person): Promise<void> {
  const letters = await sql.query<LetterPayload>(FIND, [person.addressKey]);
  await removeFromDeadLetters(
    sql,
    letters,
    (record, owner) => names(record, person) && (owner === undefined || owner === person.organizationId),
  );
}

function names(record: StreamEvent | Buffer, { addressKey, pattern }: Person): boolean {
  if (Buffer.isBuffer(record)) return record.toString('latin1').toLowerCase().includes(addressKey);
  if (record.type === 'recipient' && String(record.recipient).toLowerCase() === addressKey) return true;
  const text = record.type === 'recipient' ? record.reason : record.type === 'clicked' ? record.url : undefined;
  return text !== undefined && new RegExp(pattern, 'i').test(text);
}
