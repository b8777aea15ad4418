import { insertEngagementDeliveries } from '../webhooks/webhook-bodies.js';

/*
 * A flush takes locks in the order in which everybody takes them: emails by id, contacts by organization and
 * address, then totals. Senders and other flushers then wait for each other but never in a circle.
 */

/** $1: tracking IDs of emails that were opened or clicked. */
export const LOCK_EMAILS = `
select count(*) from (
  select from emails where tracking_id = any($1::text[]) order by id for no key update
) locked`;

/** $1: tracking IDs of all emails of the batch. */
export const LOCK_CONTACTS = `
select count(*) from (
  select from contacts
  where id in (select unnest(contact_ids) from emails where tracking_id = any($1::text[]))
  order by organization_id, address_key for no key update
) locked`;

/**
 * Stores events, one row for each contact of their email, and counts what was not there before: an event that
 * comes again inserts nothing and so counts nothing.
 * $1 ids, $2 types, $3 times in milliseconds, $4 tracking IDs, $5 link positions, $6 URLs.
 * Answers with how many events were new, the places (from 1) of those whose email does not exist, and the ids of the
 * webhook deliveries that tell of opens and clicks.
 */
export const STORE_EVENTS = `
with input as (
  select input.*, to_timestamp(milliseconds / 1000.0) as occurred_at,
    emails.id as email_id, emails.campaign_id, emails.contact_ids
  from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::int[], $6::text[]) with ordinality
    as input (id, type, milliseconds, tracking_id, link_position, url, place)
  left join emails using (tracking_id)
),
inserted as (
  insert into events (id, ordinal, occurred_at, type, email_id, contact_id, link_position, url)
  select input.id, contact.ordinal, occurred_at, type, email_id, contact.id, link_position, url
  from input cross join unnest(contact_ids) with ordinality as contact (id, ordinal)
  order by input.id, contact.ordinal
  on conflict do nothing
  returning *
),
campaign as (
  select distinct email_id, campaign_id from input where campaign_id is not null
),
by_email as (
  select email_id, count(*) filter (where type = 'opened') as opens, count(*) filter (where type = 'clicked') as clicks
  from inserted where ordinal = 1 and type <> 'sent'
  group by email_id
),
by_link as (
  select email_id, link_position, url, count(*) as clicks
  from inserted where ordinal = 1 and type = 'clicked'
  group by email_id, link_position, url
),
counted_emails as (
  update emails set opens = emails.opens + by_email.opens, clicks = emails.clicks + by_email.clicks
  from by_email where emails.id = by_email.email_id
),
counted_email_links as (
  insert into email_link_clicks (email_id, position, clicks)
  select email_id, link_position, sum(clicks) from by_link
  group by email_id, link_position order by email_id, link_position
  on conflict (email_id, position) do update set clicks = email_link_clicks.clicks + excluded.clicks
),
counted_contacts as (
  update contacts set opens = contacts.opens + by_contact.opens, clicks = contacts.clicks + by_contact.clicks,
    last_activity_at = greatest(contacts.last_activity_at, by_contact.latest)
  from (
    select contact_id, max(occurred_at) as latest,
      count(*) filter (where type = 'opened') as opens, count(*) filter (where type = 'clicked') as clicks
    from inserted group by contact_id
  ) by_contact
  where contacts.id = by_contact.contact_id
),
counted_campaigns as (
  insert into campaign_totals (campaign_id, shard, opens, clicks)
  select campaign_id, -1, sum(opens), sum(clicks) from by_email join campaign using (email_id)
  group by campaign_id order by campaign_id
  on conflict (campaign_id, shard) do update
  set opens = campaign_totals.opens + excluded.opens, clicks = campaign_totals.clicks + excluded.clicks
),
counted_campaign_links as (
  insert into campaign_links (campaign_id, url_hash, url, clicks)
  select campaign_id, sha256(convert_to(url, 'UTF8')) as url_hash, url, sum(clicks)
  from by_link join campaign using (email_id)
  group by campaign_id, url order by campaign_id, url_hash
  on conflict (campaign_id, url_hash) do update set clicks = campaign_links.clicks + excluded.clicks
),
told as (
  ${insertEngagementDeliveries('inserted')}
)
select
  (select count(*)::int from inserted where ordinal = 1) as stored,
  (select coalesce(array_agg(place::int), '{}') from input where email_id is null) as "unknownPlaces",
  (select coalesce(array_agg(id::text), '{}') from told) as "webhookDeliveries"`;
