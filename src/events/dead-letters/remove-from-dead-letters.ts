import type { Sql } from '../../platform/database/database.js';
import { splitNames } from '../email-names.js';
import { decodeEntry } from '../stream/codec/event-codec.js';
import { joinEntries, splitEntry } from '../stream/codec/split-entry.js';
import { emailOf, type StreamEvent } from '../stream/stream-event.js';

/** Two lookups, because a planner with one condition may read all emails. $1 IDs, $2 tracking IDs. */
const OWNERS = `
select id, tracking_id as "trackingId", organization_id as "organizationId" from emails where id = any($1::uuid[])
union all
select id, tracking_id, organization_id from emails where tracking_id = any($2::text[])`;

/** A dead letter as far as this needs it. */
export type LetterPayload = Readonly<{ id: string; payload: Buffer }>;

/** A record of a dead letter, decoded, and its bytes. */
interface LetterRecord {
  readonly letter: string;
  readonly entry: Buffer;
  readonly record: StreamEvent | Buffer;
}

/** Another erasure or deletion may have removed its own records since the letters were found. $1 IDs. */
const LOCK = 'select id, payload from event_dead_letters where id = any($1::uuid[]) order by id for update';

/** $1 IDs, $2 payloads. The ID stays, so that a repeated flush does not store the letter again. */
const REWRITE = `
update event_dead_letters d set payload = n.payload
  from unnest($1::uuid[], $2::bytea[]) as n (id, payload) where d.id = n.id`;

/**
 * Whether a record goes, by their organization if their email is known. A record that cannot be decoded is its bytes.
 */
type IsDoomed = (record: StreamEvent | Buffer, organizationId: string | undefined) => boolean;

/**
 * Removes records from dead letters, and deletes letters of which nothing is left. A letter may have events of any
 * organization, which share a stream entry. Only letters with such records are locked, and then read again.
 * @param sql a transaction
 */
export async function removeFromDeadLetters(
  sql: Sql,
  found: readonly LetterPayload[],
  isDoomed: IsDoomed,
): Promise<void> {
  const records = recordsOf(found);
  const owners = await ownersOf(sql, records);
  const affected = [...keptOfChanged(records, owners, isDoomed).keys()];
  if (affected.length === 0) return;
  const letters = await sql.query<LetterPayload>(LOCK, [affected]);
  const changed = [...keptOfChanged(recordsOf(letters), owners, isDoomed)];
  const rewritten = changed.filter(([, kept]) => kept.length > 0);
  const gone = changed.filter(([, kept]) => kept.length === 0);
  if (rewritten.length > 0) {
    await sql.query(REWRITE, [rewritten.map(([id]) => id), rewritten.map(([, kept]) => joinEntries(kept))]);
  }
  if (gone.length > 0)
    await sql.query('delete from event_dead_letters where id = any($1::uuid[])', [gone.map(([id]) => id)]);
}

/** By ID, what is left of each letter from which records go. */
function keptOfChanged(
  records: readonly LetterRecord[],
  owners: ReadonlyMap<string, string>,
  isDoomed: IsDoomed,
): ReadonlyMap<string, readonly Buffer[]> {
  const kept = new Map(records.map(({ letter }) => [letter, [] as Buffer[]]));
  const changed = new Set<string>();
  for (const { letter, entry, record } of records) {
    const owner = Buffer.isBuffer(record) ? undefined : owners.get(emailOf(record));
    if (isDoomed(record, owner)) changed.add(letter);
    else kept.get(letter)!.push(entry);
  }
  return new Map([...changed].map((letter) => [letter, kept.get(letter)!]));
}

function recordsOf(letters: readonly LetterPayload[]): LetterRecord[] {
  return letters.flatMap(({ id, payload }) => splitEntry(payload).map((entry) => recordOf(id, entry)));
}

/** @param entry with one record */
function recordOf(letter: string, entry: Buffer): LetterRecord {
  const { events, undecodable } = decodeEntry(entry);
  const record = events[0] ?? undecodable[0]?.bytes ?? entry;
  return { letter, entry, record };
}

/** The organizations of the emails of letters, by ID and by tracking ID. */
async function ownersOf(sql: Sql, records: readonly LetterRecord[]): Promise<ReadonlyMap<string, string>> {
  const names = records.flatMap(({ record }) => (Buffer.isBuffer(record) ? [] : [emailOf(record)]));
  const split = splitNames(names);
  if (!split) return new Map();
  const rows = await sql.query<{ id: string; trackingId: string; organizationId: string }>(OWNERS, [
    split.ids,
    split.trackingIds,
  ]);
  return new Map(
    rows.flatMap(({ id, trackingId, organizationId }) => [[id, organizationId] as const, [trackingId, organizationId]]),
  );
}
