import { isoTime } from '../../platform/database/iso-time.sql.js';
import { namesAddress } from './shared-emails.sql.js';

/*
 * Each row is one item of the export, as JSON text. $1 organization, $2 key of the address, unless a comment says
 * otherwise. Other recipients of an email are other people: the export leaves them out.
 */

/** The campaigns follow as the last field. */
export const CONTACT = `
select c.id, json_build_object('email', address, 'emails', emails, 'opens', opens, 'clicks', clicks, 'machineOpens', machine_opens,
    'machineClicks', machine_clicks, 'bounces', bounces, 'complaints', complaints, 'firstSeen', ${isoTime('first_seen_at')},
    'lastActivity', ${isoTime('last_activity_at')})::text as item
  from contacts c where organization_id = $1 and address_key = $2`;

/** Names of the campaigns of contact $1 after those of the last item, $2, if any; $3 how many. */
export const CAMPAIGNS_OF_CONTACT = `
select to_json(k.name)::text as item, array[k.id::text] as place
  from contact_campaigns m join campaigns k on k.id = m.campaign_id
 where m.contact_id = $1 and ($2::text[] is null or m.campaign_id > ($2::text[])[1]::uuid)
 order by m.campaign_id limit $3::integer`;

export const SUPPRESSIONS = `
select json_build_object('address', address, 'reason', reason, 'emailId', email_id, 'note', note, 'createdAt', ${isoTime('created_at')})::text as item
  from suppressions where organization_id = $1 and address_key = $2 order by created_at, reason`;

/** IDs of broadcasts in which the person has an entry without an email yet, after broadcast $3; $4 how many. */
export const BROADCASTS_OF_PERSON = `
select b.id from broadcasts b
 where b.organization_id = $1 and b.id > $3::uuid and exists (
   select from broadcast_recipients r where r.broadcast_id = b.id and r.address_key = $2)
 order by b.id limit $4::integer`;

/** The entries in the broadcasts $1. $2 key of the address. */
export const WAITING = `
select json_build_object('broadcastId', r.broadcast_id, 'address', r.address, 'variables', r.variables, 'metadata', r.metadata)::text as item
  from broadcast_recipients r where r.broadcast_id = any($1::uuid[]) and r.address_key = $2 order by r.broadcast_id`;

const own = (column: string): string =>
  `array(select m from unnest(c.${column}) as m where mailbox_keys(array[m]) = array[$2::text])`;

const REPORTS = `(
  select coalesce(json_agg(json_build_object('type', d.type, 'bounce', d.bounce, 'smtpStatus', d.smtp_status, 'reason', d.reason,
           'occurredAt', ${isoTime('d.occurred_at')}) order by d.occurred_at), '[]')
    from delivery_events d where d.email_id = e.id and d.address_key = $2)`;

/** What the provider said when it took or refused the recipient, or the strongest report since; null without either. */
const DELIVERY = `(
  select json_build_object('result', r.state, 'reason', r.reason, 'smtpStatus', r.smtp_status,
      'updatedAt', ${isoTime('r.updated_at')})
    from recipient_deliveries r where r.email_id = e.id and lower(r.address) = $2 limit 1)`;

const webhook = `json_build_object('type', d.type, 'status', d.status, 'createdAt', ${isoTime('d.created_at')})`;

/** Webhook deliveries about email $1 after the last item, $2, if any; $3 how many. */
export const WEBHOOKS = `
select ${webhook}::text as item, array[d.created_at::text, d.id::text] as place
  from webhook_deliveries d
 where d.email_id = $1
   and ($2::text[] is null or (d.created_at, d.id) > (($2::text[])[1]::timestamptz, ($2::text[])[2]::uuid))
 order by d.created_at, d.id limit $3::integer`;

/** How many webhook deliveries the item of an email has at most. Few emails have more, and those follow. */
const FIRST_WEBHOOKS = 100;

const FIRST = `(
  select coalesce(json_agg(${webhook} order by d.created_at, d.id), '[]') as items, count(*) = ${FIRST_WEBHOOKS} as are_more,
         array[(array_agg(d.created_at::text order by d.created_at desc, d.id desc))[1],
               (array_agg(d.id::text order by d.created_at desc, d.id desc))[1]] as place
    from (select * from webhook_deliveries where email_id = e.id order by created_at, id limit ${FIRST_WEBHOOKS}) d)`;

const ATTACHMENTS = `(
  select coalesce(json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type, 'size', a.size)
           order by a.position), '[]') from email_attachments a where a.email_id = e.id)`;

/**
 * IDs of emails to contact $3, which may be null, and of others that name the address, after email $4; $5 how many. The
 * latter have no limit of their own: with one, the planner may search for them in the order of all emails of all
 * organizations.
 */
export const EMAILS_OF_PERSON = `
(select m.email_id as id from contact_emails m where m.contact_id = $3::bigint and m.email_id > $4::uuid
  order by m.email_id limit $5::integer)
union
select c.email_id from email_contents c join emails e on e.id = c.email_id
 where ${namesAddress('$2')} and e.organization_id = $1 and c.email_id > $4::uuid
 order by 1 limit $5::integer`;

/** How long the emails $1 are: their texts that can have more than some KB. */
export const LENGTHS = `
select c.email_id as id, octet_length(c.html) + coalesce(octet_length(c.text), 0) + coalesce(octet_length(c.variables::text), 0)
    + coalesce(octet_length(array_to_string(l.urls, '')), 0) as bytes
  from email_contents c left join email_links l on l.email_id = c.email_id
 where c.email_id = any($1::uuid[]) order by c.email_id`;

/**
 * The emails $1. $2 key of the address. The last field has the first webhook deliveries; if there may be more, `place`
 * is that of the last one.
 */
export const EMAILS = `
select e.id, case when first.are_more then first.place end as place, json_build_object('id', e.id, 'trackingId', e.tracking_id, 'status', e.status, 'createdAt', ${isoTime('e.created_at')},
    'sendAt', ${isoTime('e.send_at')}, 'sentAt', ${isoTime('e.sent_at')}, 'failedAt', ${isoTime('e.failed_at')}, 'canceledAt', ${isoTime('e.canceled_at')}, 'lastError', e.last_error,
    'campaign', k.name, 'tags', coalesce(e.tags, '{}'), 'from', c.sender, 'replyTo', c.reply_to, 'to', ${own('to_addresses')},
    'cc', ${own('cc_addresses')}, 'bcc', ${own('bcc_addresses')}, 'subject', c.subject, 'html', c.html, 'text', c.text,
    'headers', c.headers, 'metadata', c.metadata, 'variables', c.variables, 'links', coalesce(l.urls, '{}'),
    'attachments', ${ATTACHMENTS}, 'delivery', ${DELIVERY}, 'reports', ${REPORTS}, 'webhooks', first.items)::text as item
  from emails e join email_contents c on c.email_id = e.id
  left join campaigns k on k.id = e.campaign_id left join email_links l on l.email_id = e.id
  cross join lateral ${FIRST} first
 where e.id = any($1::uuid[]) order by e.id`;

/**
 * Events of contact $1 after the event with time $2 and ID $3; $4 how many. The time stands alone as well, for the
 * index. For several recipients of an email, only the first row of an event has its URL.
 */
export const EVENTS = `
select v.id, v.type, v.email_id as "emailId", v.occurred_at as at, v.verdict, coalesce(v.url, (
    select first.url from events first
     where first.id = v.id and first.ordinal = 1 and first.occurred_at = v.occurred_at)) as link
  from events v
 where v.contact_id = $1 and v.occurred_at >= $2::timestamptz and (v.occurred_at, v.id) > ($2::timestamptz, $3::uuid)
 order by v.occurred_at, v.id limit $4::integer`;
