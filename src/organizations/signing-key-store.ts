import { randomBytes } from 'node:crypto';
import type { SqlRunner } from '../database/database.js';
import { SigningKeys } from '../links/signing-keys.js';

const SECRET_BYTES = 32;

interface SigningKeyRow {
  id: number;
  secret: Buffer;
}

/** Reads the signing keys, making the first one when there is none; several processes may start at once. */
export async function loadSigningKeys(sql: SqlRunner): Promise<SigningKeys> {
  let rows = await readKeys(sql);
  if (rows.length === 0) {
    await sql.query('insert into signing_keys (id, secret) values (1, $1) on conflict do nothing', [
      randomBytes(SECRET_BYTES),
    ]);
    rows = await readKeys(sql);
  }
  return new SigningKeys(rows);
}

function readKeys(sql: SqlRunner): Promise<SigningKeyRow[]> {
  return sql.query<SigningKeyRow>('select id, secret from signing_keys order by created_at, id');
}
