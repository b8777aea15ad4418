import { createHash } from 'node:crypto';
import type { Sql } from '../../platform/database/database.js';

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

/** The columns of `StoredDeadLetter`. */
export const DEAD_LETTER = 'id, stream_entry_id as "streamEntryId", payload, reason, created_at as "createdAt"';

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
    `select ${DEAD_LETTER} from event_dead_letters order by created_at desc, id limit $1`,
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
