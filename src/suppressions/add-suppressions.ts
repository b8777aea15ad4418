import type { Sql } from '../platform/database/database.js';
import type { SuppressionReason } from '../events/recipient-event.js';

export interface NewSuppression {
  readonly organizationId: string;
  /** The address in lower case, as contacts have it. */
  readonly addressKey: string;
  /** The address as it was written. */
  readonly address: string;
  readonly reason: SuppressionReason;
  /** The email that caused it. */
  readonly emailId?: string | null;
  readonly note?: string | null;
}

/** $1 organizations, $2 keys, $3 reasons, $4 addresses, $5 emails, $6 notes. Inserts in key order against deadlocks. */
const ADD = `
insert into suppressions (organization_id, address_key, reason, address, email_id, note)
select distinct on (organization_id, address_key, reason) organization_id, address_key, reason, address, email_id, note
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::text[]) with ordinality
    as new (organization_id, address_key, reason, address, email_id, note, place)
 order by organization_id, address_key, reason, place
on conflict (organization_id, address_key, reason) do nothing
returning organization_id as "organizationId", address_key as "addressKey", address, reason, email_id as "emailId", note`;

/**
 * Adds reasons to the suppression lists of organizations. A reason that an address already has stays as it is.
 * @returns the entries that are new
 */
export async function addSuppressions(sql: Sql, entries: readonly NewSuppression[]): Promise<NewSuppression[]> {
  if (entries.length === 0) return [];
  return sql.query<NewSuppression & Record<string, unknown>>(ADD, [
    entries.map(({ organizationId }) => organizationId),
    entries.map(({ addressKey }) => addressKey),
    entries.map(({ reason }) => reason),
    entries.map(({ address }) => address),
    entries.map(({ emailId }) => emailId ?? null),
    entries.map(({ note }) => note ?? null),
  ]);
}

/** An address and one reason of it. */
export type SuppressionKey = Pick<NewSuppression, 'organizationId' | 'addressKey' | 'reason'>;

/** $1 organizations, $2 keys, $3 reasons. */
const REMOVE = `
with locked as (
  select s.organization_id, s.address_key, s.reason
    from suppressions s join unnest($1::uuid[], $2::text[], $3::text[]) as old (organization_id, address_key, reason)
      using (organization_id, address_key, reason)
   order by s.organization_id, s.address_key, s.reason for update of s
)
delete from suppressions s using locked
 where (s.organization_id, s.address_key, s.reason) = (locked.organization_id, locked.address_key, locked.reason)
returning s.reason`;

/**
 * Removes single reasons of addresses.
 * @returns how many there were
 */
export async function removeSuppressions(sql: Sql, entries: readonly SuppressionKey[]): Promise<number> {
  if (entries.length === 0) return 0;
  const removed = await sql.query(REMOVE, [
    entries.map(({ organizationId }) => organizationId),
    entries.map(({ addressKey }) => addressKey),
    entries.map(({ reason }) => reason),
  ]);
  return removed.length;
}

/**
 * Removes one reason of an address.
 * @returns false when the address was not suppressed for it
 */
export async function removeSuppression(
  sql: Sql,
  organizationId: string,
  addressKey: string,
  reason: SuppressionReason,
): Promise<boolean> {
  return (await removeSuppressions(sql, [{ organizationId, addressKey, reason }])) > 0;
}
