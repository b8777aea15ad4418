import type { Sql } from '../database/database.js';
import type { SecretBox } from './secret-box.js';
import { NIL_UUID } from '../database/nil-uuid.js';

const BATCH = 500;

/** A text column with sealed secrets or null, in a table whose primary key is the uuid column `id`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
}

/** The context that binds a value to its row: it cannot be opened in another row. */
export function sealContext({ table, column }: SealedColumn, rowId: string): string {
  return `${table}.${column}.${rowId}`;
}

/**
 * Re-encrypts the values of older keys with the current key; afterwards the older keys are no longer needed. Safe to
 * interrupt, repeat and run next to a running service: a value that changes concurrently is skipped.
 * @returns the number of re-encrypted values
 */
export async function reencryptColumn(sql: Sql, box: SecretBox, sealed: SealedColumn): Promise<number> {
  const { table, column } = sealed;
  let after = NIL_UUID;
  let count = 0;
  for (;;) {
    const rows = await sql.query<{ id: string; value: string }>(
      `select id, ${column} as value from ${table}
        where id > $1 and ${column} is not null and not starts_with(${column}, $2) order by id limit ${BATCH}`,
      [after, box.currentPrefix],
    );
    const last = rows.at(-1);
    if (!last) return count;
    for (const { id, value } of rows) {
      const context = sealContext(sealed, id);
      const moved = await sql.query(
        `update ${table} set ${column} = $3 where id = $1 and ${column} = $2 returning id`,
        [id, value, box.seal(box.open(value, context), context)],
      );
      count += moved.length;
    }
    after = last.id;
  }
}
