import { countContacts } from '../../contacts/count-contacts.sql.js';
import { anySenderDomain } from '../../domains/verified-domains.js';
import { ATTACHMENT_COLUMNS, ATTACHMENT_LIST } from '../../emails/attachments/attachment.js';
import { Statement } from '../../platform/database/statement.js';
import { strongestSuppression } from '../../suppressions/suppression-check.sql.js';

/**
 * Turns the next recipients of a broadcast into emails, all in one statement: a crash repeats no recipient and skips
 * none. The caller holds the lock of the broadcast. The emails wait for the feeder like any other backlog.
 */
export const MAKE_EMAILS = new Statement(
  'make-broadcast-emails',
  {
    broadcastId: 'uuid',
    organizationId: 'uuid',
    campaignId: 'uuid',
    after: 'bigint',
    emailIds: 'uuid[]',
    trackingIds: 'text[]',
    subject: 'text',
    places: 'bigint[]',
    subjects: 'text[]',
    createdAt: 'timestamptz',
    senderKey: 'bigint?',
    senderDomains: 'text[]',
    needsProviderSignature: 'boolean',
    verifiedFrom: 'text',
    verifiedReplyTo: 'text?',
    otherFrom: 'text',
    otherReplyTo: 'text?',
    totalShard: 'smallint',
    tags: 'text[]?',
    headers: 'jsonb?',
    attachments: 'json?',
  },
  `
with
-- One recipient per ID, in the order in which they were added.
next as (
  select place, address_key, address, variables, metadata from broadcast_recipients
   where broadcast_id = :broadcastId and place > :after order by place limit cardinality(:emailIds)
),
-- Recipients that were suppressed since then get no email.
taken as materialized (
  select n.*, row_number() over (order by n.place)::integer as number,
         exists (${strongestSuppression(':organizationId', 'n.address_key', 'true')}) as is_suppressed
    from next n
),
new as materialized (
  select t.*, i.email_id, i.tracking_id, coalesce(s.subject, :subject) as subject
    from taken t
    join unnest(:emailIds, :trackingIds) with ordinality as i (email_id, tracking_id, number) on i.number = t.number
    left join unnest(:places, :subjects) as s (place, subject) on s.place = t.place
   where not t.is_suppressed
),
settled as (
  delete from broadcast_recipients r using taken where r.broadcast_id = :broadcastId and r.address_key = taken.address_key
),
broadcast as (
  update broadcasts b
     set emails = b.emails + counted.emails, suppressed = b.suppressed + counted.suppressed, next_place = counted.place
    from (select count(*) filter (where not is_suppressed) as emails, count(*) filter (where is_suppressed) as suppressed,
                 max(place) as place from taken) as counted
   where b.id = :broadcastId and counted.place is not null
),
${countContacts(
  `select address_key, regexp_replace(address, '^.*<(.*)>$', '\\1'), 1, :createdAt, :createdAt from new`,
  ':createdAt',
)},
email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, created_at, unsubscribe,
                      tags, sender_key, broadcast_id, in_stats)
  select new.email_id, new.tracking_id, :organizationId, :campaignId, array[contact.id], 'queued', :createdAt, true,
         :tags, :senderKey, :broadcastId, true
    from new join contact on contact.address_key = new.address_key
  returning id, contact_ids[1] as contact_id
),
pending as (
  insert into pending_emails (email_id, organization_id, broadcast_id) select id, :organizationId, :broadcastId from email
),
-- Which sender applies depends on the domains that are verified now.
sender as materialized (
  select ${anySenderDomain(':organizationId', ':senderDomains', ':needsProviderSignature')} as verified
),
-- The HTML is that of the shared message.
content as (
  insert into email_contents (email_id, sender, reply_to, to_addresses, subject, html, headers, metadata, variables)
  select new.email_id, case when verified then :verifiedFrom else :otherFrom end,
         case when verified then :verifiedReplyTo else :otherReplyTo end,
         array[new.address], new.subject, '', :headers, new.metadata, coalesce(new.variables, '{}')
    from new join email on email.id = new.email_id, sender
),
attachment as (
  insert into email_attachments (email_id, position, organization_id, sha256, size, filename, content_type, content_id)
  select email.id, ${ATTACHMENT_COLUMNS}
    from email, ${ATTACHMENT_LIST}
),
tag as (
  insert into email_tags (organization_id, tag, email_id)
  select :organizationId, t.tag, email.id from email, unnest(:tags) as t (tag)
),
contact_email as (
  insert into contact_emails (contact_id, email_id) select contact_id, id from email
),
contact_campaign as (
  insert into contact_campaigns (contact_id, campaign_id) select contact_id, :campaignId from email
  on conflict do nothing
),
total as (
  insert into campaign_totals (campaign_id, shard, emails)
  select :campaignId, :totalShard, count(*) from email having count(*) > 0
  on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + excluded.emails
),
stat as (
  insert into stat_deltas (organization_id, campaign_id, hour, emails)
  select :organizationId, :campaignId, date_trunc('hour', :createdAt, 'UTC'), count(*) from email having count(*) > 0
)
select count(*)::integer as settled, (count(*) filter (where is_suppressed))::integer as suppressed from taken`,
);
