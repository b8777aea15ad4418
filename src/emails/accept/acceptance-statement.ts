import { anySenderDomain } from '../../domains/verified-domains.js';

import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import { REACH, UNCLAIMED_SINCE } from '../dispatch/dispatch-line.js';
import { distinctLinks } from './distinct-links.js';
import { addressKey, formatMailbox, type ParsedMailbox } from '../mailbox.js';
import type { NewEmail } from './new-email.js';

/** A campaign's counts are spread over this many rows to reduce lock contention; the flusher has a row of its own. */
const TOTAL_SHARDS = 16;

/**
 * Stores the email, its content, contacts, counts and idempotency key in one statement: all of it or nothing.
 * Of concurrent requests with one key the first insert wins; the others wait for its commit and store nothing.
 * The campaign row is locked FOR KEY SHARE and re-checked after any wait, so an archive that commits first wins.
 * Contacts are locked in key order, as everywhere, so two emails cannot deadlock.
 * The sender depends on the domains that are verified now.
 * The first email of a contact makes the contact searchable.
 * If the organization is within its share of the queue, the email counts as dispatched at once. Its position is
 * behind the organization's last email and never before the front of the queue. Otherwise it waits for the feeder.
 * `ahead` counts via the index that begins with the organization, whatever the statistics say. It scans newest first,
 * because dead rows pile up at the old end, and stops where all older emails have been claimed.
 */
export const ACCEPT = `
with campaign as (
  select id from campaigns where id = $4::uuid and organization_id = $3::uuid and archived_at is null for key share
), admission as (
  select $4::uuid is null or exists (select from campaign) as open
), claimed as (
  insert into idempotency_keys (organization_id, key, request_hash, email_id, status, running_until)
  select $3::uuid, $19::text, $20::bytea, $1::uuid, $21::smallint, now() + $22::int * interval '1 ms'
    from admission where open and $19::text is not null
  on conflict (organization_id, key) do update
     set request_hash = excluded.request_hash, email_id = excluded.email_id, status = excluded.status,
         failure = null, running_until = excluded.running_until, created_at = excluded.created_at
   where idempotency_keys.created_at <= now() - interval '24 hours'
  returning key
), admitted as (
  select from admission where open and ($19::text is null or exists (select from claimed))
), contact as (
  insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
  select $3::uuid, t.key, t.address, 1, $5::timestamptz, $5::timestamptz
    from unnest($6::text[], $7::text[]) as t (key, address), admitted
   order by t.key
  on conflict (organization_id, address_key) do update
     set emails = contacts.emails + 1,
         last_activity_at = greatest(contacts.last_activity_at, excluded.last_activity_at)
  returning id, address_key, first_seen_at
), searchable as (
  insert into contact_search (contact_id, organization_id, letters)
  select id, $3::uuid, search_letters(address_key) from contact where first_seen_at = $5
  on conflict do nothing
), email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, tracked, created_at, sent_at)
  select $1::uuid, $2::text, $3::uuid, $4::uuid,
         (select array_agg(contact.id order by t.place)
            from unnest($6::text[]) with ordinality as t (key, place) join contact on contact.address_key = t.key),
         $8::text, $8 = 'tracked', $5, case when $8 = 'tracked' then $5 end
    from admitted
  returning id
), line as materialized (
  select share, front from dispatch_window
), ahead as (
  select count(*)::integer as emails,
         max(place) filter (where lease_token is null and place <= (select front from line) + ${REACH}) as last from (
    select place, lease_token from pending_emails
     where dispatched_at is not null and (organization_id, dispatched_at) >= ($3::uuid, ${UNCLAIMED_SINCE})
       and (organization_id, dispatched_at) <= ($3::uuid, 'infinity')
     order by organization_id desc, dispatched_at desc limit (select least(share, $25::integer) from line)) as dispatched
), pending as (
  insert into pending_emails (email_id, organization_id, dispatched_at, place, waiter)
  select email.id, $3::uuid, case when ahead.emails < least(line.share, $25::integer) then now() end,
         greatest(line.front, ahead.last + 1), $26::uuid
    from email, ahead, line where $8 = 'queued'
  returning dispatched_at, place
), sender as (
  select ${anySenderDomain('$3::uuid', '$27::text[]', '$30::boolean')} as verified
), content as (
  insert into email_contents (email_id, sender, reply_to, to_addresses, cc_addresses, bcc_addresses, subject, html, metadata)
  select id, case when verified then $28 else $9 end, case when verified then $29 else $10 end,
         $11::text[], $12::text[], $13::text[], $14, $15, $16::jsonb from email, sender
), links as (
  insert into email_links (email_id, urls) select id, $17::text[] from email where $17::text[] is not null
), campaign_link as (
  insert into campaign_links (campaign_id, url_hash, url)
  select campaign.id, l.hash, l.url
    from campaign, email, unnest($23::bytea[], $24::text[]) with ordinality as l (hash, url, place)
   order by l.place
  on conflict (campaign_id, url_hash) do nothing
), contact_email as (
  insert into contact_emails (contact_id, email_id) select contact.id, email.id from contact, email
), contact_campaign as (
  insert into contact_campaigns (contact_id, campaign_id) select contact.id, campaign.id from contact, campaign
  on conflict do nothing
), total as (
  insert into campaign_totals (campaign_id, shard, emails) select id, $18::smallint, 1 from campaign
  on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + 1
)
select open, exists (select from email) as stored,
       (select place from pending where dispatched_at is not null) as place, verified from admission, sender`;

/** Emails of one organization that the API queues directly; the feeder queues the rest of its share. */
const DIRECT_PLACES = 200;

export function acceptParameters(email: NewEmail, claim?: KeyClaim, waiter?: string): unknown[] {
  const { to, cc, bcc } = email.recipients;
  const { domains, needsProviderSignature, onVerified, otherwise } = email.sender;
  const links = distinctLinks(email.campaignId === null ? [] : (email.urls ?? []));
  return [
    email.id,
    email.trackingId,
    email.organizationId,
    email.campaignId,
    email.createdAt,
    to.map(({ address }) => addressKey(address)),
    to.map(({ address }) => address),
    email.status,
    otherwise.from,
    otherwise.replyTo,
    format(to),
    format(cc),
    format(bcc),
    email.subject,
    email.html,
    email.metadata === null ? null : JSON.stringify(email.metadata),
    email.urls,
    Math.floor(Math.random() * TOTAL_SHARDS),
    claim?.key ?? null,
    claim?.requestHash ?? null,
    claim?.status ?? null,
    claim?.runningForMs ?? 0,
    links.map(({ hash }) => hash),
    links.map(({ url }) => url),
    DIRECT_PLACES,
    waiter ?? null,
    domains,
    onVerified.from,
    onVerified.replyTo,
    needsProviderSignature,
  ];
}

function format(mailboxes: readonly ParsedMailbox[]): string[] {
  return mailboxes.map(formatMailbox);
}
