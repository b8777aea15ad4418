import { nullableTextArray, plainArray, textArray } from '../platform/database/array-literal.js';
import type { Sql } from '../platform/database/database.js';
import { addressKey } from '../emails/mailbox.js';
import type { SuppressionReason } from '../events/recipient-event.js';

/** A reason to add, as an organization or its operator names it. */
export interface SuppressionInput {
  /** The address in its original spelling. */
  readonly address: string;
  readonly reason: SuppressionReason;
  readonly note: string | null;
}

/** An entry of a suppression list. */
interface AddedSuppression {
  readonly organizationId: string;
  readonly addressKey: string;
  readonly reason: SuppressionReason;
}

interface NewSuppression extends SuppressionInput {
  readonly organizationId: string;
  /** The email that caused it. */
  readonly emailId?: string;
}

/**
 * Of equal reasons, the first one counts. Inserts in key order, so that two statements cannot deadlock.
 * $1 organizations, $2 keys, $3 reasons, $4 addresses, $5 emails, $6 notes.
 */
const INSERT = `
insert into suppressions (organization_id, address_key, reason, address, email_id, note)
select organization_id, address_key, reason, address, email_id, nullif(note, '')
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::text[]) with ordinality
    as new (organization_id, address_key, reason, address, email_id, note, place)
 order by organization_id, address_key, reason, place
on conflict do nothing
returning organization_id as "organizationId", address_key as "addressKey", reason`;

/**
 * Adds reasons to the suppression lists of organizations. A reason that an address already has stays as it is.
 * @returns the new reasons
 */
export async function insertSuppressions(
  sql: Sql,
  suppressions: readonly NewSuppression[],
): Promise<readonly AddedSuppression[]> {
  if (suppressions.length === 0) return [];
  return sql.query<AddedSuppression & Record<string, unknown>>(INSERT, [
    plainArray(suppressions.map(({ organizationId }) => organizationId)),
    textArray(suppressions.map(({ address }) => addressKey(address))),
    plainArray(suppressions.map(({ reason }) => reason)),
    textArray(suppressions.map(({ address }) => address)),
    nullableTextArray(suppressions.map(({ emailId }) => emailId)),
    nullableTextArray(suppressions.map(({ note }) => note)),
  ]);
}
