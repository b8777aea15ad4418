import type { Sql } from '../database/database.js';
import { DecryptionError, type SecretBox } from './secret-box.js';
import { NIL_UUID } from '../database/nil-uuid.js';

const BATCH = 500;
const MAX_NAMED = 10;

/** A text column with sealed secrets or null, in a table whose primary key is the uuid column `id`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
}

/** The context that binds a value to its row: it cannot be opened in another row. */
export function sealContext({ table, column }: SealedColumn, rowId: string): string {
  return `${table}.${column}.${rowId}`;
}

export interface Reencryption {
  /** How many values are under the current key now. */
  readonly count: number;
  /** How many values no key opens. They stay as they are. */
  readonly unreadable: number;
  /** The first of these, each with the reason. */
  readonly firstUnreadable: readonly string[];
}

/**
 * Re-encrypts the values of older keys with the current key; afterwards the older keys are no longer needed. Safe to
 * interrupt, repeat and run next to a running service: a value that changes concurrently is skipped. One that no key
 * opens does not hold up the others.
 */
export async function reencryptColumn(sql: Sql, box: SecretBox, sealed: SealedColumn): Promise<Reencryption> {
  const { table, column } = sealed;
  const firstUnreadable: string[] = [];
  let after = NIL_UUID;
  let [count, unreadable] = [0, 0];
  for (;;) {
    const rows = await sql.query<{ id: string; value: string }>(
      `select id, ${column} as value from ${table}
        where id > $1 and ${column} is not null and not starts_with(${column}, $2) order by id limit ${BATCH}`,
      [after, box.currentPrefix],
    );
    const last = rows.at(-1);
    if (!last) return { count, unreadable, firstUnreadable };
    for (const { id, value } of rows) {
      const moved = resealed(box, value, sealContext(sealed, id));
      if (moved instanceof DecryptionError) {
        unreadable += 1;
        if (firstUnreadable.length < MAX_NAMED) firstUnreadable.push(`${table}.${column} of ${id}: ${moved.message}`);
        continue;
      }
      const updated = await sql.query(
        `update ${table} set ${column} = $3 where id = $1 and ${column} = $2 returning id`,
        [id, value, moved],
      );
      count += updated.length;
    }
    after = last.id;
  }
}

function resealed(box: SecretBox, value: string, context: string): string | DecryptionError {
  try {
    return box.seal(box.open(value, context), context);
  } catch (error) {
    if (error instanceof DecryptionError) return error;
    throw error;
  }
}
