import { createHash } from 'node:crypto';
import type { Sql } from '../platform/database/database.js';
import { NIL_UUID } from '../platform/database/nil-uuid.js';
import { eventsKeptFrom, keepSumsOf, mayCountTwice } from './recognized-repeats.js';

/**
 * Why an event could not be stored. A closed set except for Postgres data errors, which include their SQLSTATE.
 * `too-many-deliveries` means that flushers ended repeatedly before they had stored the entry, at last it alone,
 * and `timed-out` that an event alone repeatedly exceeded a limit of Postgres, of time or memory.
 */
type DeadLetterReason =
  | 'missing-field'
  | 'unknown-version'
  | 'unknown-type'
  | 'malformed'
  | 'unknown-email'
  | 'too-many-deliveries'
  | 'timed-out'
  | `data-error-${string}`;

export interface DeadLetter {
  readonly streamEntryId: string;
  /** The stream entry that a re-drive appends. */
  readonly payload: Buffer;
  readonly reason: DeadLetterReason;
}

export interface StoredDeadLetter extends DeadLetter {
  readonly id: string;
  readonly createdAt: Date;
}

const REDRIVE_PAGE = 500;
const COLUMNS = 'id, stream_entry_id as "streamEntryId", payload, reason, created_at as "createdAt"';
/** Keyset pagination after the previous page, so that deleted rows are not scanned again. */
const NEXT_PAGE = `
  select ${COLUMNS} from event_dead_letters
   where created_at <= $1 and (created_at, id) > ($2, $3::uuid)
   order by created_at, id limit ${REDRIVE_PAGE}`;

/** Stores dead letters; a repeated flush stores none twice. */
export async function storeDeadLetters(sql: Sql, letters: readonly DeadLetter[]): Promise<void> {
  if (letters.length === 0) return;
  await sql.query(
    `insert into event_dead_letters (id, stream_entry_id, payload, reason)
     select * from unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[])
     on conflict (id) do nothing`,
    [
      letters.map(idOf),
      letters.map((letter) => letter.streamEntryId),
      letters.map((letter) => letter.payload),
      letters.map((letter) => letter.reason),
    ],
  );
}

/** The newest dead letters. */
export function listDeadLetters(sql: Sql, limit: number): Promise<StoredDeadLetter[]> {
  return sql.query<StoredDeadLetter>(
    `select ${COLUMNS} from event_dead_letters order by created_at desc, id limit $1`,
    [limit],
  );
}

export async function hasDeadLetter(sql: Sql, id: string): Promise<boolean> {
  return (await sql.query('select from event_dead_letters where id = $1', [id])).length > 0;
}

/** Rows per statement: many, but few enough to keep statements and locks short. */
const PURGE_BATCH = 5_000;

/**
 * Deletes dead letters older than this many days, by the Postgres clock.
 * @returns how many
 */
export async function purgeDeadLetters(sql: Sql, days: number): Promise<number> {
  for (let purged = 0; ;) {
    const rows = await sql.query(
      `delete from event_dead_letters where id in (
         select id from event_dead_letters where created_at < now() - $1 * interval '1 day'
          order by created_at, id limit ${PURGE_BATCH} for update skip locked)
       returning 1 as deleted`,
      [days],
    );
    purged += rows.length;
    if (rows.length < PURGE_BATCH) return purged;
  }
}

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
    const chosen = `select ${COLUMNS} from event_dead_letters where id = $1`;
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

/**
 * Deterministic per event and stream entry, so that a repeated flush stores no second letter. After a re-drive the
 * entry ID differs, so an event that fails again gets a new letter in addition to the one being deleted.
 */
function idOf({ streamEntryId, payload }: DeadLetter): string {
  const hash = createHash('sha256').update(streamEntryId).update(payload).digest().subarray(0, 16);
  hash[6] = (hash[6]! & 0x0f) | 0x80; // UUIDv8 (RFC 9562, 5.8)
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
