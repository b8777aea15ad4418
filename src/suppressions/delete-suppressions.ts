import { plainArray, textArray } from '../platform/database/array-literal.js';
import type { Sql } from '../platform/database/database.js';
import type { SuppressionReason } from '../events/recipient-event.js';

/** An address and one reason of it. */
interface SuppressionKey {
  readonly organizationId: string;
  /** The address in lower case, as contacts have it. */
  readonly addressKey: string;
  readonly reason: SuppressionReason;
}

/**
 * Deletes in key order, so that two statements cannot deadlock. An erased person may also have the reason.
 * $1 organizations, $2 keys, $3 reasons.
 */
const DELETE = `
with locked as (
  select s.organization_id, s.address_key, s.reason
    from suppressions s join unnest($1::uuid[], $2::text[], $3::text[]) as old (organization_id, address_key, reason)
      using (organization_id, address_key, reason)
   order by s.organization_id, s.address_key, s.reason for update of s
),
erased as (
  delete from erased_suppressions e using unnest($1::uuid[], $2::text[], $3::text[]) as old (organization_id, address_key, reason)
   where e.organization_id = old.organization_id and e.reason = old.reason
     and e.address_hash = person_hash(old.organization_id, old.address_key)
)
delete from suppressions s using locked
 where (s.organization_id, s.address_key, s.reason) = (locked.organization_id, locked.address_key, locked.reason)
returning s.organization_id as "organizationId", s.address_key as "addressKey", s.reason`;

/** Deletes single reasons of addresses. @returns those that were listed */
export async function deleteSuppressions(
  sql: Sql,
  keys: readonly SuppressionKey[],
): Promise<readonly SuppressionKey[]> {
  if (keys.length === 0) return [];
  return sql.query<SuppressionKey & Record<string, unknown>>(DELETE, [
    plainArray(keys.map(({ organizationId }) => organizationId)),
    textArray(keys.map(({ addressKey }) => addressKey)),
    plainArray(keys.map(({ reason }) => reason)),
  ]);
}
