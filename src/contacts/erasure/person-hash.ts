import type { Sql } from '../../platform/database/database.js';

/** What audit entries have instead of the address: they show whether a known address was meant, and nothing else. */
export async function personHash(sql: Sql, organizationId: string, addressKey: string): Promise<string> {
  const [row] = await sql.query<{ hash: string }>(`select encode(person_hash($1, $2), 'hex') as hash`, [
    organizationId,
    addressKey,
  ]);
  return row!.hash;
}
