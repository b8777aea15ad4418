import { isUuid } from '../platform/clock/uuid-v7.js';
import type { Sql } from '../platform/database/database.js';
import { BroadcastNotFoundError, BroadcastStatusError } from './broadcast-errors.js';
import type { BroadcastStatus } from './broadcast-status.js';

/**
 * A canceled broadcast without an end is a draft that is being deleted: workers delete the recipients of one whose
 * deletion broke off.
 */
const IS_BEING_DELETED = `status = 'canceled' and ended_at is null`;

/** @returns the ID of its message, which is its version @throws BroadcastNotFoundError, BroadcastStatusError */
export async function lockDraft(
  sql: Sql,
  organizationId: string,
  id: string,
  verb: 'changed' | 'deleted',
): Promise<string> {
  if (!isUuid(id)) throw new BroadcastNotFoundError();
  const [broadcast] = await sql.query<{ status: BroadcastStatus; message_id: string; is_being_deleted: boolean }>(
    `select status, message_id, ${IS_BEING_DELETED} as is_being_deleted from broadcasts
      where organization_id = $1 and id = $2 for update`,
    [organizationId, id],
  );
  if (!broadcast) throw new BroadcastNotFoundError();
  const isDraft = broadcast.status === 'draft' || (verb === 'deleted' && broadcast.is_being_deleted);
  if (!isDraft) throw new BroadcastStatusError(verb, broadcast.status);
  return broadcast.message_id;
}
