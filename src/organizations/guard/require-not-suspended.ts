import type { Sql } from '../../platform/database/database.js';
import { SuspendedError } from '../access-errors.js';
import { suspensionReason } from './suspension.sql.js';

/**
 * For a transaction that stores mail: an operator may have suspended the organization since the request was admitted,
 * and a cancellation of all its mail would not find what is stored long after it.
 * @throws SuspendedError
 */
export async function requireNotSuspended(sql: Sql, organizationId: string): Promise<void> {
  const [suspension] = await sql.query<{ reason: string }>(suspensionReason('$1'), [organizationId]);
  if (suspension) throw new SuspendedError(suspension.reason);
}
