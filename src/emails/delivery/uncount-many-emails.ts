import { appendUncounted } from '../../campaigns/stats/append-stats.sql.js';
import type { Sql } from '../../platform/database/database.js';
import { latestActivity } from './latest-activity.sql.js';

/**
 * Emails of one organization that no longer count. Entries repeat where contacts and campaigns have several of them.
 */
export interface UncountedEmails {
  readonly emailIds: readonly string[];
  /** Contacts of all recipients. */
  readonly contactIds: readonly string[];
  /** Contact and campaign of each recipient of an email with a campaign, at equal positions. */
  readonly memberContactIds: readonly string[];
  readonly memberCampaignIds: readonly string[];
  /** Campaigns of all emails that have one. */
  readonly campaignIds: readonly string[];
}

/** `uncountEmails` for thousands of emails with any contacts and campaigns. @param sql a transaction */
export async function uncountManyEmails(sql: Sql, emails: UncountedEmails): Promise<void> {
  await sql.query(UNCOUNT_STATS, [emails.emailIds]);
  // A separate statement, so that the next ones see the commits of the previous lock holders.
  await sql.query(LOCK_CONTACTS, [emails.contactIds]);
  await sql.query(UNCOUNT_CONTACTS, [emails.emailIds]);
  await sql.query(DELETE_MEMBERSHIPS, [emails.memberContactIds, emails.memberCampaignIds]);
  await sql.query(UNCOUNT_TOTALS, [emails.campaignIds]);
}

const UNCOUNT_STATS = appendUncounted('(select * from emails where id = any(array(select unnest($1::uuid[]))))');

const LOCK_CONTACTS = `
select from contacts where id = any(array(select distinct unnest($1::bigint[])))
 order by organization_id, address_key for no key update`;

/**
 * Looks up emails that still count only for contacts that have any, and else the first email alone, as `uncountEmails`
 * does: most contacts of a broadcast have no other email.
 * An activity after the acceptance of these emails stays, too. $1 emails.
 */
const UNCOUNT_CONTACTS = `
update contacts set emails = contacts.emails - gone.emails,
  first_seen_at = coalesce(first.created_at, contacts.first_seen_at),
  last_activity_at = case when contacts.last_activity_at > gone.accepted_at then contacts.last_activity_at
                          else coalesce(greatest(latest.at, engaged.occurred_at), first.created_at, contacts.first_seen_at) end
from (
  select contact.id, count(*) as emails, max(e.created_at) as accepted_at
    from emails e cross join unnest(e.contact_ids) as contact (id)
   where e.id = any(array(select unnest($1::uuid[]))) group by contact.id
) gone
join contacts c on c.id = gone.id
left join lateral (
  select e.created_at from contact_emails m join emails e on e.id = m.email_id
   where m.contact_id = gone.id and (c.emails <= gone.emails or e.status not in ('failed', 'canceled'))
   order by m.email_id limit 1
) first on true
left join lateral (
  select ${latestActivity('e')} as at from contact_emails m join emails e on e.id = m.email_id
   where c.emails > gone.emails and m.contact_id = gone.id and e.status not in ('failed', 'canceled')
   order by m.email_id desc limit 1
) latest on true
left join lateral (
  select occurred_at from events
   where (c.emails > gone.emails or c.opens > 0 or c.clicks > 0) and contact_id = gone.id
   order by occurred_at desc limit 1
) engaged on true
where contacts.id = gone.id`;

/** Runs after the contacts: a contact without emails is in no campaign, which saves most lookups. */
const DELETE_MEMBERSHIPS = `
delete from contact_campaigns membership
using (select distinct * from unnest($1::bigint[], $2::uuid[]) as pair (contact_id, campaign_id)) gone
where membership.contact_id = gone.contact_id and membership.campaign_id = gone.campaign_id and not exists (
  select from contacts c join contact_emails m on m.contact_id = c.id join emails e on e.id = m.email_id
   where c.id = gone.contact_id and c.emails > 0
     and e.campaign_id = gone.campaign_id and e.status not in ('failed', 'canceled'))`;

const UNCOUNT_TOTALS = `
insert into campaign_totals (campaign_id, shard, emails)
select id, 0, -count(*) from unnest($1::uuid[]) as campaign (id) group by id order by id
on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + excluded.emails`;
