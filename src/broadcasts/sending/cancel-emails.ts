import { uncountManyEmails } from '../../emails/delivery/uncount-many-emails.js';
import type { Sql } from '../../platform/database/database.js';
import { reportSettled } from '../../emails/schedule/report-settled.js';
import { canceledEmails } from '../../emails/schedule/canceled-emails.sql.js';

/** Emails per transaction. */
const BATCH = 1_000;

/** Skips emails that a worker is sending: either the claim or this statement gets an email, never both. */
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
 * Cancels emails of a broadcast that no worker has claimed. They no longer count for campaign and contacts. Emails that
 * may have reached a recipient fail, and emails that have reached one count as sent.
 * @param sql a transaction that has locked the broadcast
 * @returns how many have ended, and how many of them were canceled
 */
export async function cancelEmails(sql: Sql, broadcastId: string): Promise<{ ended: number; canceled: number }> {
  const emails = await sql.query<EndedEmail>(CANCEL, [broadcastId]);
  const uncounted = emails.filter(({ status }) => status !== 'sent');
  if (uncounted.length > 0) {
    const contactIds = uncounted.map(({ contact_id }) => contact_id);
    const members = uncounted.filter(({ campaign_id }) => campaign_id !== null);
    const campaignIds = members.map(({ campaign_id }) => campaign_id!);
    await uncountManyEmails(sql, {
      emailIds: uncounted.map(({ id }) => id),
      contactIds,
      memberContactIds: members.map(({ contact_id }) => contact_id),
      memberCampaignIds: campaignIds,
      campaignIds,
    });
  }
  const settled = emails.filter(({ status }) => status !== 'canceled');
  await reportSettled(
    sql,
    settled.map(({ id }) => id),
  );
  return { ended: emails.length, canceled: emails.length - settled.length };
}

/** @returns true if a worker is still sending an email of the broadcast */
export async function hasPendingEmails(sql: Sql, broadcastId: string): Promise<boolean> {
  const left = await sql.query('select from pending_emails where broadcast_id = $1 limit 1', [broadcastId]);
  return left.length > 0;
}
