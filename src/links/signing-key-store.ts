import { randomBytes } from 'node:crypto';
import type { Sql } from '../platform/database/database.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { SigningKeys } from './signing-keys.js';

const SECRET_BYTES = 32;
/** The ID is one byte of every token. */
const LAST_ID = 255;
/** Processes reload keys every minute, so by then each of them knows the new key. */
const SIGNS_AFTER_MS = 600_000;

interface SigningKeyRow {
  id: number;
  secret: Buffer;
}

/** Loads the signing keys and creates the first one if there is none. Several processes may start at the same time. */
export async function loadSigningKeys(sql: Sql): Promise<SigningKeys> {
  let rows = await readKeys(sql);
  if (rows.length === 0) {
    await sql.query('insert into signing_keys (id, secret) values (1, $1) on conflict do nothing', [
      randomBytes(SECRET_BYTES),
    ]);
    rows = await readKeys(sql);
  }
  return new SigningKeys(rows);
}

/** The signing keys, for processes that may not create one. Undefined when there is none yet. */
export async function findSigningKeys(sql: Sql): Promise<SigningKeys | undefined> {
  const rows = await readKeys(sql);
  return rows.length > 0 ? new SigningKeys(rows) : undefined;
}

export interface AddedSigningKey {
  readonly id: number;
  readonly signsFrom: Date;
}

/**
 * Adds a key that signs after a delay, when every process knows it; the first key signs at once. Older keys must stay
 * as long as the links that they signed should work.
 * @throws OperatorError when all 255 IDs are taken
 */
export async function addSigningKey(sql: Sql): Promise<AddedSigningKey> {
  const [added] = await sql.query<AddedSigningKey>(
    `insert into signing_keys (id, secret, created_at)
     select coalesce(max(id), 0) + 1, $1, now() + case when max(id) is null then 0 else $2 end * interval '1 ms'
       from signing_keys having coalesce(max(id), 0) < ${LAST_ID}
     returning id, created_at as "signsFrom"`,
    [randomBytes(SECRET_BYTES), SIGNS_AFTER_MS],
  );
  if (!added) throw new OperatorError(`All ${LAST_ID} signing keys are taken`);
  return added;
}

/** Oldest first. Keys that do not sign yet come before those that do, because the last one signs. */
function readKeys(sql: Sql): Promise<SigningKeyRow[]> {
  return sql.query<SigningKeyRow>(
    'select id, secret from signing_keys order by (created_at > now()) desc, created_at, id',
  );
}
