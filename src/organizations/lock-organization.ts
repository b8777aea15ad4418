import type { Sql } from '../platform/database/database.js';

/**
 * Serializes changes of an organization with each other and with its deletion, so that each counts the others. Does not
 * block its emails.
 * @param sql a transaction
 */
export async function lockOrganization(sql: Sql, id: string): Promise<void> {
  await sql.query('select from organizations where id = $1 for no key update', [id]);
}
