import { ENGAGEMENT_CLASSES, type MachineClass } from '../../events/verdict.js';
import { inBroadcast, SENDER, senderKeyOf, TAGS } from './seed-more-statements.js';
import { emailsBefore, engagementOf, uuidV7Sql, type SeedPlan } from './seed-plan.js';
import { MACHINE_CLASS_ROWS, MACHINE_CODES } from './seed-verdicts.js';

/*
 * The statements of the seeding. Large tables are filled in batches. Events come first, and all counters are computed
 * from the event rows, so they are correct by construction.
 */

/** $1 to $2: numbers of campaigns. $3: organization. */
export const CAMPAIGNS = `
insert into campaigns (id, organization_id, name, created_at)
select id, $3::uuid, case when number = 1 then 'Big campaign' else 'Campaign ' || number end,
  (select min(sent_at) from planned_emails)
from planned_campaigns where number between $1 and $2`;

/** $1 to $2: numbers of emails. */
export const SENT_EVENTS = `
insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
select ${uuidV7Sql('ms', "md5('sent' || id)")}, 1, sent_at, 'sent', id, contact_id
from planned_emails where n between $1 and $2`;

/**
 * $1 to $2: numbers of opens and clicks; every fourth is a click. $3: destinations, $4: the latest time in
 * milliseconds, $5 and $6: verdicts of opens and of clicks.
 */
export function engagements(plan: SeedPlan): string {
  const { email, delayMs } = engagementOf(plan, 'j');
  return `
insert into events (id, ordinal, occurred_at, type, email_id, contact_id, link_position, url, verdict)
select ${uuidV7Sql('at_ms', 'hash')}, 1, to_timestamp(at_ms / 1000.0),
  case when place is null then 'opened' else 'clicked' end, email_id, contact_id, place, ($3::text[])[place + 1],
  (case when place is null then $5::int[] else $6::int[] end)[1 + ('x' || right(hash, 1))::bit(4)::int]
from (
  select md5(email.id::text || j) as hash, least($4::bigint, email.ms + ${delayMs}) as at_ms,
    email.id as email_id, email.contact_id, case when j % 4 = 0 then (j / 4 % cardinality($3::text[]))::int end as place
  from generate_series($1::bigint, $2::bigint) j join planned_emails email on email.n = ${email}
  where email.n between ${emailsBefore(plan, '$1::bigint')} and 17 + ${emailsBefore(plan, '$2::bigint')}
  offset 0
) happened`;
}

/** $1 to $2: ids of contacts. */
export const COUNT_EVENTS = [
  `create temp table seeded_emails on commit drop as
   select email_id, contact_id, count(*) filter (where type = 'sent') as sent,
     count(*) filter (where type = 'opened') as opens, count(*) filter (where type = 'clicked') as clicks,
     count(*) filter (where type = 'opened' and verdict = any(${MACHINE_CODES})) as machine_opens,
     count(*) filter (where type = 'clicked' and verdict = any(${MACHINE_CODES})) as machine_clicks,
     min(occurred_at) filter (where type = 'opened' and verdict <> all(${MACHINE_CODES})) as first_open,
     min(occurred_at) filter (where type = 'clicked' and verdict <> all(${MACHINE_CODES})) as first_click,
     min(occurred_at) as first, max(occurred_at) as latest
   from events where contact_id between $1 and $2 group by email_id, contact_id`,
  `create temp table seeded_contacts on commit drop as
   select contact_id, sum(sent) as emails, sum(opens) as opens, sum(clicks) as clicks,
     sum(machine_opens) as machine_opens, sum(machine_clicks) as machine_clicks, min(first) as first, max(latest) as latest
   from seeded_emails group by contact_id`,
];

export const INDEX_COUNTS = [
  'alter table seeded_emails add primary key (email_id)',
  'alter table seeded_contacts add primary key (contact_id)',
  'analyze seeded_emails',
  'analyze seeded_contacts',
];

/** $1 to $2: positions of contacts in the table, which differ from their order of activity. $3: organization. */
export const CONTACTS = `
insert into contacts (id, organization_id, address_key, address, emails, opens, clicks, machine_opens, machine_clicks,
  first_seen_at, last_activity_at)
select id, $3::uuid, address, address, coalesce(emails, 0), coalesce(opens, 0), coalesce(clicks, 0),
  coalesce(machine_opens, 0), coalesce(machine_clicks, 0),
  coalesce(first, start.at), coalesce(latest, start.at)
from planned_contacts left join seeded_contacts on contact_id = id,
  (select min(sent_at) as at from planned_emails) start
where place between $1 and $2 order by place`;

/** $1 to $2: ids of contacts. */
export const SEARCHABLE = `
insert into contact_search (contact_id, organization_id, letters)
select id, organization_id, search_letters(address_key) from contacts where id between $1 and $2 order by id`;

/**
 * $1 to $2: numbers of emails. $3: organization, $4: tracking ID of each, $5 and $6: keys of senders, $7: broadcast.
 */
export function emails(plan: SeedPlan): string {
  return `
insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, attempts, opens, clicks,
  machine_opens, machine_clicks, person_opened, person_clicked, in_stats, first_open_at, first_click_at, provider_id,
  created_at, sent_at, tags, sender_key, broadcast_id)
select email.id, tracking_id, $3::uuid, campaign.id, array[email.contact_id], 'sent', 1,
  coalesce(opens, 0), coalesce(clicks, 0), coalesce(machine_opens, 0), coalesce(machine_clicks, 0),
  coalesce(opens > machine_opens, false), coalesce(clicks > machine_clicks, false), true, first_open, first_click,
  'seeded-' || n, sent_at, sent_at, ${TAGS}, ${senderKeyOf('$5', '$6')},
  case when ${inBroadcast(plan)} then $7::uuid end
from planned_emails email join planned_campaigns campaign on number = campaign_number
  join unnest($4::text[]) with ordinality as generated (tracking_id, place) on place = n - $1 + 1
  left join seeded_emails on email_id = email.id
where n between $1 and $2 order by n`;
}

/**
 * $1 to $2: numbers of emails. $3: beginning of the subject, $4: HTML. An email of the broadcast has no content of its
 * own.
 */
export function contents(plan: SeedPlan): string {
  return `
insert into email_contents (email_id, sender, to_addresses, subject, html, variables)
select email.id, ${SENDER}, array[address], $3 || n, case when ${inBroadcast(plan)} then '' else $4 end,
  case when ${inBroadcast(plan)} then jsonb_build_object('number', n) end
from planned_emails email join planned_contacts contact on contact.id = contact_id
where n between $1 and $2 order by n`;
}

/** $1 to $2: numbers of emails. $3: destinations. */
export const LINKS = `
insert into email_links (email_id, urls)
select id, $3::text[] from planned_emails where n between $1 and $2 order by n`;

/** $1 to $2: numbers of emails. */
export const CONTACT_EMAILS = `
insert into contact_emails (contact_id, email_id)
select contact_id, id from planned_emails where n between $1 and $2 order by n`;

/** $1 to $2: numbers of emails. */
export const CONTACT_CAMPAIGNS = `
insert into contact_campaigns (contact_id, campaign_id)
select distinct contact_id, campaign.id
from planned_emails join planned_campaigns campaign on number = campaign_number
where n between $1 and $2
on conflict do nothing`;

/** $1 to $2: ids of contacts. */
export const LINK_CLICKS = `
insert into email_link_clicks (email_id, position, clicks, machine_clicks)
select email_id, link_position, count(*), count(*) filter (where verdict = any(${MACHINE_CODES})) from events
where contact_id between $1 and $2 and type = 'clicked' group by email_id, link_position`;

/** $1 to $2: ids of contacts. */
export const MACHINE_HITS = `
insert into email_machine_hits (email_id, class, hits)
select email_id, class, count(*) from events join (values ${MACHINE_CLASS_ROWS}) machine (code, class) on code = verdict
where contact_id between $1 and $2 group by email_id, class`;

const hitsOf = (machine: MachineClass): string =>
  `coalesce(sum(hits) filter (where class = ${ENGAGEMENT_CLASSES.indexOf(machine)}), 0)`;

/** $1: organization. Fills the shards like the senders and the flusher do. */
export const CAMPAIGN_TOTALS = `
insert into campaign_totals (campaign_id, shard, emails, opens, clicks, unique_opens, unique_clicks,
  machine_opens, machine_clicks, prefetches, previews, scans, bots)
select campaign_id, hashint8(contact_ids[1]) & 15, count(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
from emails where organization_id = $1 group by 1, 2
union all
select * from (
  select campaign_id, -1, 0, sum(opens), sum(clicks), count(*) filter (where person_opened),
    count(*) filter (where person_clicked), sum(machine_opens), sum(machine_clicks)
  from emails where organization_id = $1 group by 1
) engaged join (
  select e.campaign_id, ${hitsOf('prefetch')}, ${hitsOf('preview')}, ${hitsOf('scanner')}, ${hitsOf('bot')}
  from emails e left join email_machine_hits on email_id = e.id where organization_id = $1 group by 1
) machines using (campaign_id)`;

/** $1: organization. */
export const CAMPAIGN_LINKS = `
insert into campaign_links (campaign_id, url_hash, url, clicks, machine_clicks)
select campaign_id, sha256(convert_to(url, 'UTF8')), url, sum(clicks), sum(machine_clicks)
from (
  select e.campaign_id, l.urls[c.position + 1] as url, c.clicks, c.machine_clicks
  from email_link_clicks c join emails e on e.id = c.email_id join email_links l on l.email_id = e.id
  where e.organization_id = $1
) clicked
group by campaign_id, url`;

export const SEEDED_TABLES = [
  'campaigns',
  'campaign_totals',
  'campaign_links',
  'hourly_stats',
  'contacts',
  'contact_search',
  'contact_campaigns',
  'contact_emails',
  'emails',
  'email_contents',
  'email_links',
  'email_link_clicks',
  'email_machine_hits',
  'email_tags',
  'email_attachments',
  'recipient_deliveries',
  'events',
];
