import type { SqlRunner } from '../database/database.js';

/** Totals count emails that were accepted and did not fail; any shard may go below zero, their sum is right. */
export async function forgetFailedEmail(
  sql: SqlRunner,
  campaignId: string | null,
  contactIds: readonly string[],
): Promise<void> {
  await sql.query(
    `with locked as (
       select id from contacts where id = any($1::bigint[]) order by organization_id, address_key for update
     )
     update contacts set emails = emails - 1 from locked where contacts.id = locked.id`,
    [contactIds],
  );
  if (campaignId === null) return;
  await sql.query(
    `insert into campaign_totals (campaign_id, shard, emails) values ($1, 0, -1)
     on conflict (campaign_id, shard) do update set emails = campaign_totals.emails - 1`,
    [campaignId],
  );
}
