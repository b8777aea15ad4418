import type { Sql } from '../../platform/database/database.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';
import { DEAD_LETTER, type StoredDeadLetter } from './dead-letters.js';
import { eventsKeptFrom, keepSumsOf, mayCountTwice } from '../recognized-repeats.js';

const REDRIVE_PAGE = 500;
/** Keyset pagination after the previous page, so that deleted rows are not scanned again. */
const NEXT_PAGE = `
  select ${DEAD_LETTER} from event_dead_letters
   where created_at <= $1 and (created_at, id) > ($2, $3::uuid)
   order by created_at, id limit ${REDRIVE_PAGE}`;

/** How many letters a re-drive appended, and how many it left: see `mayCountTwice`. */
interface Redriven {
  readonly redriven: number;
  readonly left: number;
}

/**
 * Appends dead letters to the stream again, oldest first, and deletes each one once appended. Events keep their IDs,
 * so an interrupted re-drive may be repeated. An event that fails again becomes a new dead letter. Letters whose events
 * could count twice stay.
 * @param which the ID of one dead letter, or all that exist now
 * @param append resolves when the entry is durably in the stream
 */
export async function redriveDeadLetters(
  sql: Sql,
  append: (payload: Buffer) => Promise<void>,
  which: { readonly id: string } | 'all',
): Promise<Redriven> {
  const eventsKept = await eventsKeptFrom(sql);
  const total = { redriven: 0, left: 0 };
  const redrive = async (letters: readonly StoredDeadLetter[]): Promise<void> => {
    const exact = letters.filter((letter) => !mayCountTwice(letter, eventsKept));
    total.left += letters.length - exact.length;
    await keepSumsOf(sql, exact);
    total.redriven += await redrivePage(sql, append, exact);
  };
  if (which !== 'all') {
    const chosen = `select ${DEAD_LETTER} from event_dead_letters where id = $1`;
    await redrive(await sql.query<StoredDeadLetter>(chosen, [which.id]));
    return total;
  }
  const [started] = await sql.query<{ at: Date }>('select clock_timestamp()::timestamptz(3) as at');
  for (let last: StoredDeadLetter | undefined; ;) {
    const letters: StoredDeadLetter[] = await sql.query<StoredDeadLetter>(NEXT_PAGE, [
      started!.at,
      last?.createdAt ?? new Date(0),
      last?.id ?? NIL_UUID,
    ]);
    await redrive(letters);
    last = letters.at(-1);
    if (letters.length < REDRIVE_PAGE) return total;
  }
}

/** Deletes the appended ones, even when a later append fails. @returns how many were appended */
async function redrivePage(
  sql: Sql,
  append: (payload: Buffer) => Promise<void>,
  letters: readonly StoredDeadLetter[],
): Promise<number> {
  const appended: string[] = [];
  try {
    for (const { id, payload } of letters) {
      await append(payload);
      appended.push(id);
    }
  } finally {
    if (appended.length > 0) await sql.query('delete from event_dead_letters where id = any($1::uuid[])', [appended]);
  }
  return appended.length;
}
