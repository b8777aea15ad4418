import { createHash } from 'node:crypto';
import type { SqlRunner } from '../database/database.js';

/**
 * Why an event could not be stored. A closed set but for data errors of Postgres, which bring their SQLSTATE.
 * `too-many-deliveries` means that flushers died over it again and again.
 */
export type DeadLetterReason =
  | 'missing-field'
  | 'unknown-version'
  | 'unknown-type'
  | 'malformed'
  | 'unknown-email'
  | 'too-many-deliveries'
  | `data-error-${string}`;

export interface DeadLetter {
  readonly streamEntryId: string;
  /** An entry of the stream: what a re-drive appends. */
  readonly payload: Buffer;
  readonly reason: DeadLetterReason;
}

export interface StoredDeadLetter extends DeadLetter {
  readonly id: string;
  readonly createdAt: Date;
}

const REDRIVE_PAGE = 500;
const COLUMNS = 'id, stream_entry_id as "streamEntryId", payload, reason, created_at as "createdAt"';

/** Stores dead letters; one that is stored already, because its flush is repeated, is stored once. */
export async function storeDeadLetters(sql: SqlRunner, letters: readonly DeadLetter[]): Promise<void> {
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
export function listDeadLetters(sql: SqlRunner, limit: number): Promise<StoredDeadLetter[]> {
  return sql.query<StoredDeadLetter>(
    `select ${COLUMNS} from event_dead_letters order by created_at desc, id limit $1`,
    [limit],
  );
}

/** Forgets dead letters that were stored before that time. @returns how many */
export async function purgeDeadLetters(sql: SqlRunner, before: Date): Promise<number> {
  const rows = await sql.query('delete from event_dead_letters where created_at < $1 returning id', [before]);
  return rows.length;
}

/**
 * Appends dead letters to the stream again, oldest first, and forgets each once it is there. Events keep their
 * ids: a re-drive that is interrupted may be repeated. What dies again comes back as a new dead letter.
 * @param which the id of one, or all that are there now
 * @param append resolves when the entry is durably in the stream
 * @returns how many were appended
 */
export async function redriveDeadLetters(
  sql: SqlRunner,
  append: (payload: Buffer) => Promise<void>,
  which: { readonly id: string } | 'all',
): Promise<number> {
  const [begun] = await sql.query<{ at: Date }>('select clock_timestamp()::timestamptz(3) as at');
  const condition = which === 'all' ? 'created_at <= $1' : 'created_at <= $1 and id = $2';
  const values = which === 'all' ? [begun!.at] : [begun!.at, which.id];
  let appended = 0;
  for (;;) {
    const letters = await sql.query<StoredDeadLetter>(
      `select ${COLUMNS} from event_dead_letters where ${condition} order by created_at, id limit ${REDRIVE_PAGE}`,
      values,
    );
    for (const { id, payload } of letters) {
      await append(payload);
      await sql.query('delete from event_dead_letters where id = $1', [id]);
    }
    appended += letters.length;
    if (letters.length < REDRIVE_PAGE) return appended;
  }
}

/**
 * The same for the same event of the same entry, so that repeating a flush repeats no letter. The entry's id is
 * part of it: an event that dies again after a re-drive is a new letter beside the one being removed.
 */
function idOf({ streamEntryId, payload }: DeadLetter): string {
  const hash = createHash('sha256').update(streamEntryId).update(payload).digest().subarray(0, 16);
  hash[6] = (hash[6]! & 0x0f) | 0x80; // UUIDv8 (RFC 9562, 5.8)
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
