import type { Sql } from '../../platform/database/database.js';

/** Recipients per statement: few enough for its time limit. */
export const DELETED_RECIPIENTS = 5_000;

const DELETE = `
with gone as (
  delete from broadcast_recipients where broadcast_id = $1 and address_key = any(array(
    select address_key from broadcast_recipients where broadcast_id = $1 order by address_key limit ${DELETED_RECIPIENTS}))
  returning place
)
select count(*)::integer as deleted, (count(*) filter (where place is null))::integer as suppressed from gone`;

interface DeletedRecipients {
  readonly deleted: number;
  /** How many of them were suppressed when they were added. */
  readonly suppressed: number;
  readonly [column: string]: unknown;
}

/** Deletes a batch of the recipients of a broadcast of which no worker makes emails. */
export async function deleteRecipients(sql: Sql, broadcastId: string): Promise<DeletedRecipients> {
  const [counts] = await sql.query<DeletedRecipients>(DELETE, [broadcastId]);
  return counts!;
}
