import type { Sql } from '../platform/database/database.js';
import { ACTIVE_STATUSES } from './broadcast-status.js';

/** Statuses that a cancellation may leave, and the new values. */
export const CANCELLATION = {
  from: ACTIVE_STATUSES,
  set: `status = 'canceled', ended_at = now(), step_at = now()`,
} as const;

/** Cancels all active broadcasts of an organization. @returns how many */
export async function cancelBroadcasts(sql: Sql, organizationId: string): Promise<number> {
  const canceled = await sql.query(
    `update broadcasts set ${CANCELLATION.set} where organization_id = $1 and status = any($2::text[]) returning id`,
    [organizationId, CANCELLATION.from],
  );
  return canceled.length;
}
