import type { Sql } from '../platform/database/database.js';
import { EmailNotFoundError } from './email-errors.js';
import { idColumnOf } from './email-id.sql.js';

/**
 * Finds an email of an organization.
 * @param selection SQL that selects from `emails e`, without a condition
 * @throws EmailNotFoundError
 */
export async function findEmail<Row extends object = { id: string }>(
  sql: Sql,
  organizationId: string,
  idOrTrackingId: string,
  selection = 'select e.id from emails e',
): Promise<Row> {
  const [email] = await sql.query<Row>(
    `${selection} where e.organization_id = $1 and ${idColumnOf(idOrTrackingId)} = $2`,
    [organizationId, idOrTrackingId],
  );
  if (!email) throw new EmailNotFoundError();
  return email;
}
