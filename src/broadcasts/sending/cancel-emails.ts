import { uncountEmails } from '../../emails/delivery/uncount-emails.js';
import type { Sql } from '../../platform/database/database.js';
import { reportSettled } from '../../emails/schedule/report-settled.js';
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
), ${canceledEmails('e.id, e.status, e.contact_ids[1] as contact_id, e.campaign_id')}, counted as (
  update broadcasts set canceled = canceled + (select count(*) from email where status = 'canceled') where id = $1
)
select id, status, contact_id, campaign_id from email`;

interface EndedEmail {
  readonly id: string;
  readonly status: 'canceled' | 'failed' | 'sent';
  readonly contact_id: string;
  readonly campaign_id: string | null;
  readonly [column: string]: unknown;
}

/**
 * Cancels emails of a broadcast that no worker has claimed. They no longer count for campaign and contacts. Those that
 * may have reached somebody fail, and those that have count as sent.
 * @param sql a transaction that has locked the broadcast
 * @returns how many have ended, and how many of them were canceled
 */
export async function cancelEmails(sql: Sql, broadcastId: string): Promise<{ ended: number; canceled: number }> {
  const emails = await sql.query<EndedEmail>(CANCEL, [broadcastId]);
  const uncounted = emails.filter(({ status }) => status !== 'sent');
  if (uncounted[0]) {
    const contactIds = uncounted.map(({ contact_id }) => contact_id);
    const ids = uncounted.map(({ id }) => id);
    await uncountEmails(sql, ids, uncounted[0].campaign_id, contactIds);
  }
  const settled = emails.filter(({ status }) => status !== 'canceled');
  await reportSettled(
    sql,
    settled.map(({ id }) => id),
  );
  return { ended: emails.length, canceled: emails.length - settled.length };
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
