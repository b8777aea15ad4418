import type { Sql } from '../../platform/database/database.js';
import { upToBytes } from '../../platform/database/up-to-bytes.sql.js';
import { deleteDeadLettersAbout } from './delete-dead-letters.js';
import type { Person } from './person.js';

/** Keys per transaction. */
const BATCH = 20_000;
/** Bytes of stored responses per transaction, compressed: Postgres searches about 50 MB a second. */
const MAX_BYTES = 16 * 1024 * 1024;

/** $1 organization, $2 the last key of the batch before. */
const LAST_KEY = `
select max(key) as key from (${upToBytes(
  'key',
  `select key, pg_column_size(response) as bytes from idempotency_keys
    where organization_id = $1 and key > $2 order by key limit ${BATCH}`,
  MAX_BYTES,
)}) batch having count(*) > 0`;
const KEYS = `organization_id = $1 and key > $2 and key <= $3`;

/**
 * Deletes keys that contain the address: a repeated request with such a key counts as a new one. $4 pattern.
 */
const DELETE_KEYS = `delete from idempotency_keys where ${KEYS} and key ~* $4`;
/** Only batches have a stored response, and only failures a reason. $4 pattern in texts, $5 pattern in JSON. */
const REWRITE_RESPONSES = `
update idempotency_keys
   set failure = regexp_replace(failure, $4, 'erased', 'gi'),
       response = regexp_replace(response::text, $5, 'erased', 'gi')::json
 where ${KEYS} and (failure ~* $4 or response::text ~* $5)`;

/** The reply of a provider or server about a sender may name a recipient. $1 organization, $2 pattern. */
const SENDER_REFUSALS = `
update sending_domains set sender_refusal = regexp_replace(sender_refusal, $2, 'erased', 'gi')
 where organization_id = $1 and sender_refusal ~* $2`;

/** How far the search of an erasure has come. */
export interface SweepProgress {
  /** The last idempotency key; null before the first. */
  readonly sweptKey: string | null;
  /** The position of the last dead letter; null before the first. */
  readonly sweptLetter: string | null;
}

/**
 * Removes the address from a batch of the texts that do not belong to an email: stored responses, server replies, and
 * dead letters last.
 * @returns undefined when nothing is left to do
 */
export async function sweepTexts(
  sql: Sql,
  person: Person,
  { sweptKey, sweptLetter }: SweepProgress,
): Promise<SweepProgress | undefined> {
  const { organizationId, pattern, jsonPattern } = person;
  const after = sweptKey ?? '';
  const [last] = await sql.query<{ key: string }>(LAST_KEY, [organizationId, after]);
  if (last) {
    await sql.query(DELETE_KEYS, [organizationId, after, last.key, pattern]);
    await sql.query(REWRITE_RESPONSES, [organizationId, after, last.key, pattern, jsonPattern]);
    return { sweptKey: last.key, sweptLetter };
  }
  if (sweptLetter === null) await sql.query(SENDER_REFUSALS, [organizationId, pattern]);
  const letter = await deleteDeadLettersAbout(sql, person, sweptLetter ?? '');
  return letter === undefined ? undefined : { sweptKey, sweptLetter: letter };
}
