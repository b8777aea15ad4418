import { uncountEmails } from '../../emails/delivery/uncount-emails.js';
import type { Sql } from '../../platform/database/database.js';
import { canceledEmails } from '../../emails/schedule/canceled-emails.sql.js';

/** Emails per transaction. */
const BATCH = 500;
/** Recipients per transaction. */
const DELETED_RECIPIENTS = 5_000;

/** Emails that a worker is sending stay: exactly one of the two statements gets an email. */
const CANCEL = `
with free as (
  select email_id from pending_emails where broadcast_id = $1 and lease_token is null
   order by email_id limit ${BATCH} for update skip locked
), ${canceledEmails('e.contact_ids[1] as contact_id, e.campaign_id')}, counted as (
  update broadcasts set canceled = canceled + (select count(*) from email) where id = $1
)
select contact_id, campaign_id from email`;

/**
 * Cancels emails of a broadcast that no worker has claimed. They no longer count for campaign and contacts.
 * @param sql a transaction that has locked the broadcast
 * @returns how many
 */
export async function cancelEmails(sql: Sql, broadcastId: string): Promise<number> {
  const emails = await sql.query<{ contact_id: string; campaign_id: string | null }>(CANCEL, [broadcastId]);
  if (emails[0]) {
    const contactIds = emails.map(({ contact_id }) => contact_id);
    await uncountEmails(sql, emails[0].campaign_id, contactIds, emails.length);
  }
  return emails.length;
}

/** Deletes recipients of a broadcast that has ended: nobody needs them any more. @returns how many */
export async function deleteRecipients(sql: Sql, broadcastId: string): Promise<number> {
  const deleted = await sql.query(
    `delete from broadcast_recipients where broadcast_id = $1 and address_key = any(array(
       select address_key from broadcast_recipients where broadcast_id = $1 order by address_key limit ${DELETED_RECIPIENTS}))
     returning 1 as deleted`,
    [broadcastId],
  );
  return deleted.length;
}
