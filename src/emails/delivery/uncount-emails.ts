import { appendUncounted } from '../../campaigns/stats/append-stats.sql.js';
import type { Sql } from '../../platform/database/database.js';
import { latestActivity } from './latest-activity.sql.js';

/**
 * Reverts the counts of emails that failed or were canceled. Totals count emails that were accepted and did not fail. A
 * single shard may go below zero; only the sum matters. A contact keeps its campaign and times if another email or
 * event justifies them.
 * @param emailIds of one campaign or none
 * @param contactIds of all their recipients; none of them is in two of the emails
 */
export async function uncountEmails(
  sql: Sql,
  emailIds: readonly string[],
  campaignId: string | null,
  contactIds: readonly string[],
): Promise<void> {
  await sql.query(UNCOUNT_STATS, [emailIds]);
  // A separate statement, so that the next ones see the commits of the previous lock holders.
  await sql.query(LOCK_CONTACTS, [contactIds]);
  await sql.query(UNCOUNT_CONTACTS, [contactIds, emailIds]);
  if (campaignId === null) return;
  await sql.query(DELETE_MEMBERSHIPS, [contactIds, campaignId]);
  await sql.query(
    `insert into campaign_totals (campaign_id, shard, emails) values ($1, 0, -$2::bigint)
     on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + excluded.emails`,
    [campaignId, emailIds.length],
  );
}

/** In the hours of acceptance and failure. */
const UNCOUNT_STATS = appendUncounted('(select * from emails where id = any($1::uuid[]))');

const LOCK_CONTACTS = `
select from contacts where id = any($1::bigint[]) order by organization_id, address_key for no key update`;

/**
 * A contact whose emails all failed or were canceled has the time of the first one, and shows no later activity but
 * opens and clicks. Only that email is looked up: there may be any number, and each further one would read all of them.
 * An activity after the acceptance of these emails stays: not every one can be looked up, see `latestActivity`.
 * $1 contacts, $2 emails.
 */
const UNCOUNT_CONTACTS = `
update contacts set emails = contacts.emails - 1,
  first_seen_at = coalesce(first.created_at, contacts.first_seen_at),
  last_activity_at = case when contacts.last_activity_at > gone.accepted_at then contacts.last_activity_at
                          else coalesce(greatest(latest.at, engaged.occurred_at), first.created_at, contacts.first_seen_at) end
from contacts c
cross join (select max(created_at) as accepted_at from emails where id = any($2::uuid[])) gone
left join lateral (
  select e.created_at from contact_emails m join emails e on e.id = m.email_id
   where m.contact_id = c.id and (c.emails <= 1 or e.status not in ('failed', 'canceled'))
   order by m.email_id limit 1
) first on true
left join lateral (
  select ${latestActivity('e')} as at from contact_emails m join emails e on e.id = m.email_id
   where c.emails > 1 and m.contact_id = c.id and e.status not in ('failed', 'canceled')
   order by m.email_id desc limit 1
) latest on true
left join lateral (
  select occurred_at from events where contact_id = c.id order by occurred_at desc limit 1
) engaged on true
where c.id = any($1::bigint[]) and contacts.id = c.id`;

/**
 * Runs after the contacts: one without emails is in no campaign. Checks the newest email first, because it usually
 * shows that the contact stays.
 */
const DELETE_MEMBERSHIPS = `
delete from contact_campaigns membership using contacts c
where membership.contact_id = any($1::bigint[]) and membership.campaign_id = $2 and c.id = membership.contact_id
  and (c.emails <= 0 or (
    select e.id from contact_emails m join emails e on e.id = m.email_id
     where m.contact_id = membership.contact_id and e.campaign_id = $2 and e.status not in ('failed', 'canceled')
     order by m.email_id desc limit 1
  ) is null)`;
