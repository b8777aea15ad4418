import { countContacts } from '../../contacts/count-contacts.sql.js';
import { anySenderDomain } from '../../domains/verified-domains.js';
import { Statement } from '../../platform/database/statement.js';
import { strongestSuppression } from '../../suppressions/suppression-check.sql.js';
import { ATTACHMENT_COLUMNS, ATTACHMENT_LIST } from '../attachments/attachment.js';
import { GIVEN, GIVEN_COLUMNS, GIVEN_PARAMETERS } from './given-columns.js';
import { REACH, UNCLAIMED_SINCE } from '../dispatch/dispatch-line.js';

const SUPPRESSED = `
  select t.place, found.reason, t.key
    from unnest(:checkedKeys) with ordinality as t (key, place)
   cross join lateral (${strongestSuppression(':organizationId', 't.key', ':unsubscribe')}) as found`;

/** The recipients that must not get an email, by position, starting at 0. */
export const FIND_SUPPRESSED = new Statement(
  'find-suppressed',
  { organizationId: 'uuid', checkedKeys: 'text[]', unsubscribe: 'boolean' },
  `select place::integer - 1 as place, reason from (${SUPPRESSED}) as suppressed order by place`,
);

/** Stores the email, its content, contacts, counts and idempotency key in one statement: all of it or nothing. */
export const ACCEPT = new Statement(
  'accept-email',
  {
    emailId: 'uuid',
    trackingId: 'text',
    organizationId: 'uuid',
    campaignId: 'uuid?',
    status: 'text',
    createdAt: 'timestamptz',
    addressKeys: 'text[]',
    addresses: 'text[]',
    checkedKeys: 'text[]',
    leavesOut: 'boolean',
    to: 'text[]',
    cc: 'text[]',
    bcc: 'text[]',
    subject: 'text',
    html: 'text',
    text: 'text?',
    headers: 'jsonb?',
    attachments: 'json?',
    metadata: 'jsonb?',
    urls: 'text[]?',
    linkHashes: 'bytea[]',
    linkUrls: 'text[]',
    senderDomains: 'text[]',
    needsProviderSignature: 'boolean',
    verifiedFrom: 'text',
    verifiedReplyTo: 'text?',
    otherFrom: 'text',
    otherReplyTo: 'text?',
    totalShard: 'smallint',
    key: 'text?',
    requestHash: 'bytea?',
    responseStatus: 'smallint?',
    runningForMs: 'integer',
    directPlaces: 'integer',
    waiter: 'uuid?',
    ...GIVEN,
  },
  `
with
-- Locks the campaign and checks it after the wait, so that an archive that commits first wins.
campaign as (
  select id from campaigns where id = :campaignId and organization_id = :organizationId and archived_at is null for key share
),
-- The recipients that must not get the email.
suppressed as materialized (${SUPPRESSED}
),
-- Is the campaign open, if the email has one? Is a recipient left, if recipients may be left out?
admission as (
  select :campaignId is null or exists (select from campaign) as open,
         not exists (select from suppressed)
           or (:leavesOut and exists (select unnest(:addressKeys) except select key from suppressed)) as addressed
),
-- Claims the idempotency key. Of concurrent requests the first insert wins; the others wait for its commit.
claimed as (
  insert into idempotency_keys (organization_id, key, request_hash, email_id, status, running_until)
  select :organizationId, :key, :requestHash, :emailId, :responseStatus, now() + :runningForMs * interval '1 ms'
    from admission where open and addressed and :key is not null
  on conflict (organization_id, key) do update
     set request_hash = excluded.request_hash, email_id = excluded.email_id, status = excluded.status,
         failure = null, running_until = excluded.running_until, created_at = excluded.created_at
   where idempotency_keys.created_at <= now() - interval '24 hours'
  returning key
),
-- One row if the email may be stored, none otherwise. Everything below depends on it.
admitted as (
  select from admission where open and addressed and (:key is null or exists (select from claimed))
),
${countContacts(`
    select t.key, t.address, 1 from unnest(:addressKeys, :addresses) as t (key, address), admitted
     where t.key not in (select key from suppressed)`)},
-- Stores the email, with its contacts in the order of its recipients.
email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, tracked, created_at, sent_at, in_stats,
                      ${GIVEN_COLUMNS})
  select :emailId, :trackingId, :organizationId, :campaignId,
         (select array_agg(contact.id order by t.place)
            from unnest(:addressKeys) with ordinality as t (key, place) join contact on contact.address_key = t.key),
         :status, :status = 'tracked', :createdAt, case when :status = 'tracked' then :createdAt end, true,
         ${GIVEN_PARAMETERS}
    from admitted
  returning id
),
-- The share of each organization in the queue, and the position at the head of the queue.
line as materialized (select share, front from dispatch_window),
-- The organization's emails in the queue. Counts via the index that begins with the organization, whatever the
-- statistics say. Scans newest first, because dead rows pile up at the old end, and stops where all older emails have
-- been claimed.
ahead as (
  select count(*)::integer as emails,
         max(place) filter (where lease_token is null and place <= (select front from line) + ${REACH}) as last from (
    select place, lease_token from pending_emails
     where dispatched_at is not null and (organization_id, dispatched_at) >= (:organizationId, ${UNCLAIMED_SINCE})
       and (organization_id, dispatched_at) <= (:organizationId, 'infinity')
     order by organization_id desc, dispatched_at desc limit (select least(share, :directPlaces) from line)) as dispatched
),
-- Mail of a paused or slowed-down organization waits for the feeder.
guard as (
  select exists (
    select from sending_guards where organization_id = :organizationId and state in ('slowed', 'paused')) as guarded
),
-- Within the organization's share the email counts as dispatched at once, behind the organization's last email and
-- never before the head of the queue. Otherwise it waits for the feeder, and so does a scheduled email.
pending as (
  insert into pending_emails (email_id, organization_id, queued_at, due_at, dispatched_at, place, waiter)
  select email.id, :organizationId, coalesce(:sendAt, now()), coalesce(:sendAt, date_trunc('milliseconds', now())),
         case when ahead.emails < least(line.share, :directPlaces) and not guarded and :sendAt is null then now() end,
         greatest(line.front, ahead.last + 1), :waiter
    from email, ahead, line, guard where :status = 'queued'
  returning dispatched_at, place
),
-- Which sender applies depends on the domains that are verified now.
sender as (
  select ${anySenderDomain(':organizationId', ':senderDomains', ':needsProviderSignature')} as verified
),
-- Stores the wide part.
content as (
  insert into email_contents (email_id, sender, reply_to, to_addresses, cc_addresses, bcc_addresses, subject, html, text,
                              headers, metadata)
  select id, case when verified then :verifiedFrom else :otherFrom end,
         case when verified then :verifiedReplyTo else :otherReplyTo end,
         :to, :cc, :bcc, :subject, :html, :text, :headers, :metadata from email, sender
),
-- Lists its attachments, whose contents are stored already.
attachment as (
  insert into email_attachments (email_id, position, organization_id, sha256, size, filename, content_type, content_id)
  select email.id, ${ATTACHMENT_COLUMNS}
    from email, ${ATTACHMENT_LIST}
),
-- Lists the email under its tags.
tag as (
  insert into email_tags (organization_id, tag, email_id)
  select :organizationId, t.tag, email.id from email, unnest(:tags) as t (tag)
),
-- Stores the destinations, if they are known already.
links as (
  insert into email_links (email_id, urls) select id, :urls from email where :urls is not null
),
-- Adds the destinations to those of the campaign.
campaign_link as (
  insert into campaign_links (campaign_id, url_hash, url)
  select campaign.id, l.hash, l.url
    from campaign, email, unnest(:linkHashes, :linkUrls) with ordinality as l (hash, url, place)
   order by l.place
  on conflict (campaign_id, url_hash) do nothing
),
-- Lists the email with its contacts.
contact_email as (
  insert into contact_emails (contact_id, email_id) select contact.id, email.id from contact, email
),
-- Lists the campaign with the contacts.
contact_campaign as (
  insert into contact_campaigns (contact_id, campaign_id) select contact.id, campaign.id from contact, campaign
  on conflict do nothing
),
-- Counts the email for its campaign.
total as (
  insert into campaign_totals (campaign_id, shard, emails) select campaign.id, :totalShard, 1 from campaign, email
  on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + 1
),
-- ... and for the hour of its acceptance.
stat as (
  insert into stat_deltas (organization_id, campaign_id, hour, emails, sent)
  select :organizationId, :campaignId, date_trunc('hour', :createdAt, 'UTC'), 1, case when :status = 'tracked' then 1 end
    from email
)
select open, exists (select from email) as stored,
       (select place from pending where dispatched_at is not null) as place, verified,
       (select json_agg(json_build_object('place', place - 1, 'reason', reason) order by place) from suppressed) as suppressed
  from admission, sender`,
);
