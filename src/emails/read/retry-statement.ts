import { appendRecounted } from '../../campaigns/stats/append-stats.sql.js';
import { IS_UNSENDABLE } from '../content-retention.js';
import { FORGET_SUPPRESSION } from '../recipients/recipient-state.sql.js';
import { UNKNOWN_OUTCOME } from '../delivery/unknown-outcome-reason.js';

/** Of an email in doubt, a row of `recipient_deliveries r` whose recipient has certainly got none. */
const CERTAINLY_HAS_NONE = `r.state = 'refused' and coalesce(r.reason, '') not like '${UNKNOWN_OUTCOME}%'`;

/**
 * failed -> queued. Restores everything that the failure reverted for campaign and contacts: counts, membership and
 * times. Attempts restart from zero; recipients refused earlier are tried again. Facts about them stay, since they
 * count; only the state of recipients that we left out is reset. Of an email in doubt, those with a result of their own
 * keep it: a report about another recipient proves nothing about them (`reports-in-doubt.sql.ts`). An email whose
 * recipient was erased or whose body was deleted stays failed. An email of an archived campaign stays failed: the
 * campaign row is locked FOR KEY SHARE, so an archive that commits first wins. An email of a canceled broadcast stays
 * failed, unless it only counts as sent. One of a paused broadcast waits: the next step of the broadcast takes it out
 * of the queue. Broadcasts are locked first, then campaigns, then emails by ID, then contacts by address, then totals.
 * That is why totals depend on the contacts CTE. $1 ids, $2 their organization, or null for any, $3 true for an email
 * that only counts as sent: also of canceled broadcasts, and those who certainly have none stay as they are.
 */
export const RETRY = `
with copied as materialized (
  select b.id, b.status from broadcasts b
   where b.id in (select broadcast_id from emails where id = any($1::uuid[]))
   order by b.id for no key update
), open as (
  select c.id from campaigns c, (select count(*) from copied) as after_broadcasts
   where c.id in (select campaign_id from emails where id = any($1::uuid[])) and c.archived_at is null
   order by c.id for key share of c
), chosen as (
  select e.id, e.failed_at from emails e
   where e.id = any($1::uuid[]) and ($2::uuid is null or e.organization_id = $2) and e.failed_at is not null
     and not exists (
       select from email_contents c where c.email_id = e.id and ${IS_UNSENDABLE})
     and (e.campaign_id is null or e.campaign_id in (select id from open))
     and (e.broadcast_id is null or e.broadcast_id in (select id from copied where status <> 'canceled' or $3::boolean))
   order by e.id for update
), email as (
  update emails e set status = 'queued', failed_at = null from chosen where e.id = chosen.id
  returning e.id, e.organization_id, e.campaign_id, e.contact_ids, e.created_at, e.provider_id, e.last_error,
            e.in_stats, e.broadcast_id, chosen.failed_at,
            e.possible_duplicate or coalesce(e.last_error like '${UNKNOWN_OUTCOME}%', false) as possible_duplicate
), pending as (
  -- The job of the failed attempt may still be ending, and Redis would ignore another one with its ID.
  insert into pending_emails (email_id, organization_id, broadcast_id, possible_duplicate, provider_id, last_error,
                              generation)
  select id, organization_id, broadcast_id, possible_duplicate, provider_id, last_error,
         1 + (random() * 1e9)::integer from email
), parked as (
  update broadcasts b set step_at = now() from copied
   where b.id = copied.id and copied.status = 'paused' and b.id in (select broadcast_id from email)
), retried_recipients as (
  delete from recipient_deliveries r using email
   where r.email_id = email.id and r.state <> 'accepted' and r.facts = 0 and not email.possible_duplicate
     and not ($3::boolean and ${CERTAINLY_HAS_NONE})
), reported_recipients as (
  update recipient_deliveries r set state = 'deferred', updated_at = now(), ${FORGET_SUPPRESSION} from email
   where r.email_id = email.id and r.state = 'refused' and (r.facts <> 0 or email.possible_duplicate)
     and not ($3::boolean and ${CERTAINLY_HAS_NONE})
), mailed as (
  select contact_id, count(*) as emails, min(created_at) as first, max(created_at) as latest
    from email, unnest(contact_ids) as contact_id group by contact_id
), locked as (
  select c.id, mailed.emails, mailed.first, mailed.latest from contacts c join mailed on mailed.contact_id = c.id
   order by c.organization_id, c.address_key for update of c
), contact as (
  update contacts c
     set emails = c.emails + locked.emails,
         first_seen_at = case when c.emails > 0 then least(c.first_seen_at, locked.first) else locked.first end,
         last_activity_at = greatest(c.last_activity_at, locked.latest)
    from locked where c.id = locked.id
  returning c.id
), membership as (
  insert into contact_campaigns (contact_id, campaign_id)
  select distinct contact.id, email.campaign_id from contact join email on contact.id = any(email.contact_ids)
   where email.campaign_id is not null order by contact.id, email.campaign_id
  on conflict do nothing
), total as (
  insert into campaign_totals (campaign_id, shard, emails)
  select campaign_id, 0, count(*) from email, (select count(*) from contact) as after_contacts
   where campaign_id is not null group by campaign_id order by campaign_id
  on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + excluded.emails
), stat as (
  ${appendRecounted('email')}
)
select id from email`;
