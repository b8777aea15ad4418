import { countContacts } from '../../../contacts/count-contacts.sql.js';
import { anySenderDomain } from '../../../domains/verified-domains.js';
import { GIVEN_COLUMNS, GIVEN_FIELDS } from '../given-columns.js';
import { Statement } from '../../../platform/database/statement.js';
import { strongestSuppression } from '../../../suppressions/suppression-check.sql.js';

/** The suppressed recipients among those of many emails, by their positions from 0. */
export const FIND_SUPPRESSED_OF_MANY = new Statement(
  'find-suppressed-of-many',
  { organizationId: 'uuid', keys: 'text[]', unsubscribes: 'boolean[]' },
  `select t.place::integer - 1 as place, found.reason
     from unnest(:keys, :unsubscribes) with ordinality as t (key, unsubscribe, place)
    cross join lateral (${strongestSuppression(':organizationId', 't.key', 't.unsubscribe')}) as found
    order by t.place`,
);

/** Stores many emails as `ACCEPT` stores one. They wait for the feeder. */
export const ACCEPT_MANY = new Statement(
  'accept-emails',
  {
    organizationId: 'uuid',
    createdAt: 'timestamptz',
    emails: 'json',
    needsProviderSignature: 'boolean',
    totalShard: 'smallint',
  },
  `
with
given as materialized (
  select e.*
    from json_array_elements(:emails) as list (value)
   cross join lateral json_to_record(list.value) as e (
     id uuid, tracking_id text, campaign_id uuid, ${GIVEN_FIELDS},
     contact_keys text[], contact_addresses text[], to_addresses text[], cc_addresses text[], bcc_addresses text[],
     subject text, html text, text text, headers jsonb, metadata jsonb, attachments json,
     sender_domains text[], verified_from text, verified_reply_to text, other_from text, other_reply_to text)
),
-- Locks the campaigns, so that an archive that commits first wins.
campaign as (
  select id from campaigns
   where id in (select campaign_id from given) and organization_id = :organizationId and archived_at is null
   order by id for key share
),
admitted as materialized (
  select * from given where campaign_id is null or campaign_id in (select id from campaign)
),
recipient as materialized (
  select a.id as email_id, t.key, t.address, t.place
    from admitted a cross join lateral unnest(a.contact_keys, a.contact_addresses) with ordinality as t (key, address, place)
),
${countContacts('select key, min(address), count(*) from recipient group by key')},
member as materialized (
  select r.email_id, c.id as contact_id, r.place from recipient r join contact c on c.address_key = r.key
),
email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, created_at, in_stats,
                      ${GIVEN_COLUMNS})
  select id, tracking_id, :organizationId, campaign_id, m.ids, 'queued', :createdAt, true,
         ${GIVEN_COLUMNS}
    from admitted
    join (select email_id, array_agg(contact_id order by place) as ids from member group by email_id) m on m.email_id = id
  returning id, campaign_id, send_at
),
pending as (
  insert into pending_emails (email_id, organization_id, queued_at, due_at)
  select id, :organizationId, coalesce(send_at, now()), coalesce(send_at, date_trunc('milliseconds', now())) from email
),
-- Which senders apply depends on the domains that are verified now.
content as (
  insert into email_contents (email_id, sender, reply_to, to_addresses, cc_addresses, bcc_addresses, subject, html, text,
                              headers, metadata)
  select a.id, case when s.verified then a.verified_from else a.other_from end,
         case when s.verified then a.verified_reply_to else a.other_reply_to end,
         a.to_addresses, a.cc_addresses, a.bcc_addresses, a.subject, a.html, a.text, a.headers, a.metadata
    from admitted a
   cross join lateral (
     select ${anySenderDomain(':organizationId', 'a.sender_domains', ':needsProviderSignature')} as verified) as s
),
attachment as (
  insert into email_attachments (email_id, position, organization_id, sha256, size, filename, content_type, content_id)
  select a.id, t.place - 1, :organizationId, decode(t.attachment ->> 'sha256', 'hex'), (t.attachment ->> 'size')::integer,
         t.attachment ->> 'filename', t.attachment ->> 'contentType', t.attachment ->> 'contentId'
    from admitted a cross join lateral json_array_elements(a.attachments) with ordinality as t (attachment, place)
),
tag as (
  insert into email_tags (organization_id, tag, email_id)
  select :organizationId, t.tag, a.id from admitted a cross join lateral unnest(a.tags) as t (tag)
),
contact_email as (
  insert into contact_emails (contact_id, email_id) select contact_id, email_id from member
),
contact_campaign as (
  insert into contact_campaigns (contact_id, campaign_id)
  select distinct m.contact_id, e.campaign_id from member m join email e on e.id = m.email_id where e.campaign_id is not null
  on conflict do nothing
),
total as (
  insert into campaign_totals (campaign_id, shard, emails)
  select campaign_id, :totalShard, count(*) from email where campaign_id is not null group by campaign_id order by campaign_id
  on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + excluded.emails
),
stat as (
  insert into stat_deltas (organization_id, campaign_id, hour, emails)
  select :organizationId, campaign_id, date_trunc('hour', :createdAt, 'UTC'), count(*) from email group by campaign_id
)
select id from email`,
);
