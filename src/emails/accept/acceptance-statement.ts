import { countContacts } from '../../contacts/count-contacts.sql.js';
import { anySenderDomain } from '../../domains/verified-domains.js';
import { suspensionReason } from '../../organizations/guard/suspension.sql.js';
import { Statement } from '../../platform/database/statement.js';
import { strongestSuppression } from '../../suppressions/suppression-check.sql.js';
import { GIVEN_COLUMNS, GIVEN_FIELDS } from './given-columns.js';
import { MAX_DISTANCE, UNCLAIMED_SINCE } from '../dispatch/queue-positions.sql.js';

/**
 * Stores emails of one organization, each with its content, contacts, counts and idempotency key, or none of it.
 * Returns one row per email. No two of them may have the same idempotency key. Postgres reads the JSON three times, so
 * the HTML has a parameter of its own.
 */
export const ACCEPT = new Statement(
  'accept-emails',
  { organizationId: 'uuid', emails: 'json', htmls: 'text[]', directPlaces: 'integer', totalShard: 'smallint' },
  `
with
given as materialized (
  select e.*, list.number
    from json_array_elements(:emails) with ordinality as list (value, number)
   cross join lateral json_to_record(list.value) as e (
     id uuid, tracking_id text, campaign_id uuid, status text, created_at timestamptz, ${GIVEN_FIELDS},
     contact_keys text[], contact_addresses text[], checked_keys text[], leaves_out boolean,
     to_addresses text[], cc_addresses text[], bcc_addresses text[],
     subject text, text text, headers jsonb, metadata jsonb, attachments json,
     urls text[], link_hashes bytea[], link_urls text[],
     sender_domains text[], needs_provider_signature boolean,
     verified_from text, verified_reply_to text, other_from text, other_reply_to text,
     key text, request_hash bytea, response_status smallint, running_for_ms integer, waiter uuid)
),
-- Locks the campaigns and checks them after the wait, so that an archive that commits first wins.
campaign as (
  select id from campaigns
   where id in (select campaign_id from given) and organization_id = :organizationId and archived_at is null
   order by id for key share
),
-- The recipients that must not get their email.
suppressed as materialized (
  select given.id as email_id, t.place, t.key, found.reason
    from given cross join lateral unnest(given.checked_keys) with ordinality as t (key, place)
   cross join lateral (${strongestSuppression(':organizationId', 't.key', 'given.unsubscribe')}) as found
),
-- Is its campaign open, if the email has one? Is a recipient left, if recipients may be left out? Which senders apply
-- depends on the domains that are verified now. An operator may have suspended the organization since the request was
-- admitted, and a cancellation of all its mail would not find emails that are stored after it.
admission as materialized (
  select given.*, campaign_id is null or campaign_id in (select id from campaign) as open,
         id not in (select email_id from suppressed)
           or (leaves_out and exists (
             select unnest(contact_keys) except select s.key from suppressed s where s.email_id = given.id)) as addressed,
         ${anySenderDomain(':organizationId', 'given.sender_domains', 'given.needs_provider_signature')} as verified,
         (${suspensionReason(':organizationId')}) as suspension
    from given
),
-- Claims idempotency keys, in key order. Of concurrent requests the first insert wins; the others wait for its commit.
claimed as (
  insert into idempotency_keys (organization_id, key, request_hash, email_id, status, running_until)
  select :organizationId, key, request_hash, id, response_status, now() + running_for_ms * interval '1 ms'
    from admission where open and addressed and suspension is null and key is not null
   order by key
  on conflict (organization_id, key) do update
     set request_hash = excluded.request_hash, email_id = excluded.email_id, status = excluded.status,
         failure = null, running_until = excluded.running_until, created_at = excluded.created_at
   where idempotency_keys.created_at <= now() - interval '24 hours'
  returning key
),
-- The emails that may be stored. Everything below depends on it.
admitted as materialized (
  select * from admission
   where open and addressed and suspension is null and (key is null or key in (select key from claimed))
),
recipient as materialized (
  select a.id as email_id, a.number, a.created_at, t.key, t.address, t.place
    from admitted a cross join lateral unnest(a.contact_keys, a.contact_addresses) with ordinality as t (key, address, place)
   where not exists (select from suppressed s where s.email_id = a.id and s.key = t.key)
),
${countContacts(
  // A contact is shown as its first email writes it.
  `select key, (array_agg(address order by number))[1], count(*), min(created_at), max(created_at)
     from recipient group by key`,
  '(select min(created_at) from recipient)',
)},
member as materialized (
  select r.email_id, contact.id as contact_id, r.place from recipient r join contact on contact.address_key = r.key
),
-- The contacts of each email in the order of its recipients, collected once: with a lookup per email, the time of a
-- large batch would grow with its square.
audience as materialized (
  select email_id, array_agg(contact_id order by place) as contact_ids from member group by email_id
),
-- Stores the emails.
email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, tracked, created_at, sent_at, in_stats,
                      ${GIVEN_COLUMNS})
  select id, tracking_id, :organizationId, campaign_id, audience.contact_ids,
         status, status = 'tracked', created_at, case when status = 'tracked' then created_at end, true,
         ${GIVEN_COLUMNS}
    from admitted left join audience on audience.email_id = admitted.id
  returning id, campaign_id, created_at, sent_at, send_at
),
-- The share of each organization in the queue, and the position at the head of the queue.
queue as materialized (select share, front from dispatch_window),
-- The organization's emails in the queue. Counts via the index that begins with the organization, whatever the
-- statistics say. Scans newest first, because dead rows pile up at the old end, and stops where all older emails have
-- been claimed.
ahead as materialized (
  select count(*)::integer as emails,
         max(place) filter (where lease_token is null and place <= (select front from queue) + ${MAX_DISTANCE}) as last from (
    select place, lease_token from pending_emails
     where dispatched_at is not null and (organization_id, dispatched_at) >= (:organizationId, ${UNCLAIMED_SINCE})
       and (organization_id, dispatched_at) <= (:organizationId, 'infinity')
     order by organization_id desc, dispatched_at desc limit (select least(share, :directPlaces) from queue)) as dispatched
),
-- Mail of a paused or slowed-down organization waits for the feeder.
guard as materialized (
  select exists (
    select from sending_guards where organization_id = :organizationId and state in ('slowed', 'paused')) as guarded
),
-- The emails that we deliver, those for now first.
queued as (
  select id, send_at, waiter, (row_number() over (order by send_at is not null, number) - 1)::integer as earlier
    from admitted where status = 'queued'
),
-- Within the organization's share emails count as dispatched at once, behind the organization's last email and
-- never before the head of the queue. Others wait for the feeder, and so do scheduled emails.
pending as (
  insert into pending_emails (email_id, organization_id, queued_at, due_at, dispatched_at, place, waiter)
  select id, :organizationId, coalesce(send_at, now()), coalesce(send_at, date_trunc('milliseconds', now())),
         case when ahead.emails + earlier < least(queue.share, :directPlaces) and not guarded and send_at is null then now() end,
         greatest(queue.front, ahead.last + 1) + earlier, waiter
    from queued, ahead, queue, guard
  returning email_id, dispatched_at, place
),
-- Stores the wide part.
content as (
  insert into email_contents (email_id, sender, reply_to, to_addresses, cc_addresses, bcc_addresses, subject, html, text,
                              headers, metadata)
  select a.id, case when a.verified then a.verified_from else a.other_from end,
         case when a.verified then a.verified_reply_to else a.other_reply_to end,
         a.to_addresses, a.cc_addresses, a.bcc_addresses, a.subject, (:htmls)[a.number], a.text, a.headers, a.metadata
    from admitted a
),
-- Lists their attachments, whose contents are stored already.
attachment as (
  insert into email_attachments (email_id, position, organization_id, sha256, size, filename, content_type, content_id)
  select a.id, t.place - 1, :organizationId, decode(t.attachment ->> 'sha256', 'hex'), (t.attachment ->> 'size')::integer,
         t.attachment ->> 'filename', t.attachment ->> 'contentType', t.attachment ->> 'contentId'
    from admitted a cross join lateral json_array_elements(a.attachments) with ordinality as t (attachment, place)
),
-- Lists the emails under their tags.
tag as (
  insert into email_tags (organization_id, tag, email_id)
  select :organizationId, t.tag, a.id from admitted a cross join lateral unnest(a.tags) as t (tag)
),
-- Stores the destinations, if they are known already.
links as (
  insert into email_links (email_id, urls) select id, urls from admitted where urls is not null
),
-- Adds the destinations to those of the campaigns.
campaign_link as (
  insert into campaign_links (campaign_id, url_hash, url)
  select distinct on (a.campaign_id, l.hash) a.campaign_id, l.hash, l.url
    from admitted a cross join lateral unnest(a.link_hashes, a.link_urls) as l (hash, url)
   where a.campaign_id is not null
   order by a.campaign_id, l.hash
  on conflict (campaign_id, url_hash) do nothing
),
-- Lists the emails with their contacts.
contact_email as (
  insert into contact_emails (contact_id, email_id) select contact_id, email_id from member
),
-- Lists the campaigns with the contacts.
contact_campaign as (
  insert into contact_campaigns (contact_id, campaign_id)
  select distinct m.contact_id, a.campaign_id
    from member m join admitted a on a.id = m.email_id where a.campaign_id is not null
  on conflict do nothing
),
-- Counts the emails for their campaigns.
total as (
  insert into campaign_totals (campaign_id, shard, emails)
  select campaign_id, :totalShard, count(*) from email where campaign_id is not null group by campaign_id order by campaign_id
  on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + excluded.emails
),
-- ... and for the hours of their acceptance.
stat as (
  insert into stat_deltas (organization_id, campaign_id, hour, emails, sent)
  select :organizationId, campaign_id, hour, count(*), nullif(count(sent_at), 0)
    from (select campaign_id, date_trunc('hour', created_at, 'UTC') as hour, sent_at from email) as accepted
   group by campaign_id, hour
)
select a.id, a.open, a.id in (select id from email) as stored, a.verified, a.suspension,
       (select p.place from pending p where p.email_id = a.id and p.dispatched_at is not null) as place,
       (select json_agg(json_build_object('place', u.place - 1, 'reason', u.reason) order by u.place)
          from suppressed u where u.email_id = a.id) as suppressed
  from admission a`,
);
