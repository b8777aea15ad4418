import { textArray } from '../platform/database/array-literal.js';
import type { Sql } from '../platform/database/database.js';
import { addressKey } from '../emails/mailbox.js';
import type { SuppressionReason } from '../events/recipient-event.js';

export interface SuppressionInput {
  readonly address: string;
  readonly reason: SuppressionReason;
  readonly note: string | null;
}

/**
 * Adds reasons that an organization or its operator names, and keeps those that are stored. Inserts in key order, so
 * that two statements cannot deadlock.
 * @returns the number of new reasons
 */
export async function insertSuppressions(
  sql: Sql,
  organizationId: string,
  suppressions: readonly SuppressionInput[],
): Promise<number> {
  if (suppressions.length === 0) return 0;
  const [row] = await sql.query<{ added: number }>(
    `with added as (
       insert into suppressions (organization_id, address_key, reason, address, note)
       select $1, t.key, t.reason, t.address, nullif(t.note, '')
         from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as t (key, reason, address, note)
        order by t.key, t.reason
       on conflict do nothing
       returning 1
     )
     select count(*)::int as added from added`,
    [
      organizationId,
      textArray(suppressions.map(({ address }) => addressKey(address))),
      textArray(suppressions.map(({ reason }) => reason)),
      textArray(suppressions.map(({ address }) => address)),
      textArray(suppressions.map(({ note }) => note ?? '')),
    ],
  );
  return row!.added;
}
