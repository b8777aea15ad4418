import type { Sql } from '../database/database.js';
import type { SecretBox } from './secret-box.js';

const BATCH = 500;

/** A text column of a table with the uuid key `id` that holds sealed secrets, or null. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
}

/** What a value of the column is bound to: it opens in its own row alone. */
export function sealContext({ table, column }: SealedColumn, rowId: string): string {
  return `${table}.${column}.${rowId}`;
}

/**
 * Seals with the current key what older keys sealed; after it, they are no longer needed. It may be interrupted and
 * run again, and beside a running service: a value that changes meanwhile is left to whoever changed it.
 * @returns how many values were sealed again
 */
export async function reencryptColumn(sql: Sql, box: SecretBox, sealed: SealedColumn): Promise<number> {
  const { table, column } = sealed;
  let after = '00000000-0000-0000-0000-000000000000';
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
