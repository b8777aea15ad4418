import { namesAddress } from './shared-emails.sql.js';

/*
 * Each row is one item of the export, as JSON text. $1 organization, $2 key of the address; for pages $3 the last ID of
 * the page before, $4 the size of a page. Other recipients of an email are other people: the export leaves them out.
 */

export const CONTACT = `
select json_build_object('email', address, 'emails', emails, 'opens', opens, 'clicks', clicks, 'machineOpens', machine_opens,
    'machineClicks', machine_clicks, 'bounces', bounces, 'complaints', complaints, 'firstSeen', first_seen_at,
    'lastActivity', last_activity_at, 'campaigns', array(
      select k.name from contact_campaigns m join campaigns k on k.id = m.campaign_id where m.contact_id = c.id order by k.id))::text as item
  from contacts c where organization_id = $1 and address_key = $2`;

export const SUPPRESSIONS = `
select json_build_object('address', address, 'reason', reason, 'emailId', email_id, 'note', note, 'createdAt', created_at)::text as item
  from suppressions where organization_id = $1 and address_key = $2 order by created_at, reason`;

/** Entries in broadcasts that have no email yet. */
export const WAITING = `
select json_build_object('broadcastId', b.id, 'address', r.address, 'variables', r.variables, 'metadata', r.metadata)::text as item
  from broadcasts b join broadcast_recipients r on r.broadcast_id = b.id and r.address_key = $2
 where b.organization_id = $1 order by b.id`;

const own = (column: string): string =>
  `array(select m from unnest(c.${column}) as m where mailbox_keys(array[m]) = array[$2::text])`;

const REPORTS = `(
  select coalesce(json_agg(json_build_object('type', d.type, 'bounce', d.bounce, 'smtpStatus', d.smtp_status, 'reason', d.reason,
           'occurredAt', d.occurred_at) order by d.occurred_at), '[]')
    from delivery_events d where d.email_id = e.id and d.address_key = $2)`;

const WEBHOOKS = `(
  select coalesce(json_agg(json_build_object('type', d.type, 'status', d.status, 'createdAt', d.created_at) order by d.id), '[]')
    from webhook_deliveries d where d.email_id = e.id)`;

const ATTACHMENTS = `(
  select coalesce(json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type, 'size', a.size)
           order by a.position), '[]') from email_attachments a where a.email_id = e.id)`;

export const EMAILS_OF_PERSON = `
with listed as (
  select m.email_id as id from contacts k join contact_emails m on m.contact_id = k.id
   where k.organization_id = $1 and k.address_key = $2 and m.email_id > $3::uuid
  union
  select c.email_id from email_contents c join emails e on e.id = c.email_id
   where ${namesAddress('$2')} and e.organization_id = $1 and c.email_id > $3::uuid
  order by 1 limit $4::integer
)
select e.id, json_build_object('id', e.id, 'trackingId', e.tracking_id, 'status', e.status, 'createdAt', e.created_at,
    'sendAt', e.send_at, 'sentAt', e.sent_at, 'failedAt', e.failed_at, 'canceledAt', e.canceled_at, 'lastError', e.last_error,
    'campaign', k.name, 'tags', coalesce(e.tags, '{}'), 'from', c.sender, 'replyTo', c.reply_to, 'to', ${own('to_addresses')},
    'cc', ${own('cc_addresses')}, 'bcc', ${own('bcc_addresses')}, 'subject', c.subject, 'html', c.html, 'text', c.text,
    'headers', c.headers, 'metadata', c.metadata, 'variables', c.variables, 'links', coalesce(l.urls, '{}'),
    'attachments', ${ATTACHMENTS}, 'reports', ${REPORTS}, 'webhooks', ${WEBHOOKS})::text as item
  from listed join emails e on e.id = listed.id join email_contents c on c.email_id = e.id
  left join campaigns k on k.id = e.campaign_id left join email_links l on l.email_id = e.id
 order by e.id`;

/** Opens and clicks of all emails. For several recipients of an email, only the first row of an event has its URL. */
export const EVENTS = `
select v.id, json_build_object('type', v.type, 'emailId', v.email_id, 'occurredAt', v.occurred_at,
    'link', coalesce(v.url, (select first.url from events first
      where first.id = v.id and first.ordinal = 1 and first.occurred_at = v.occurred_at)))::text as item
  from contacts k join events v on v.contact_id = k.id
 where k.organization_id = $1 and k.address_key = $2 and v.id > $3::uuid
 order by v.id limit $4::integer`;
