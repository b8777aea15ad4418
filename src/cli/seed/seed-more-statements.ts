import { FACT_RULES, HARD_BIT } from '../../emails/recipients/fact-rules.js';
import { uuidV7Sql, type SeedPlan } from './seed-plan.js';
import { otherSeedSender, seedSender } from './seed-content.js';

/*
 * Optional data of an email: tags, attachments, reports about its recipient, a broadcast, a time to be sent at. All of
 * it follows from the number of the email. Rare values are scattered among frequent ones, as in real lists.
 */

/** The tags of email `n`: every second email has `news`, every hundredth also `digest`, one in 10,000 also `rare`. */
export const TAGS = `case when n % 10000 = 0 then '{news,digest,rare}' when n % 100 = 0 then '{news,digest}'
  when n % 2 = 0 then '{news}' end::text[]`;

const IS_FROM_OTHER_SENDER = 'n % 50 = 7';
export const SENDER = `case when ${IS_FROM_OTHER_SENDER} then '${otherSeedSender}' else '${seedSender}' end`;

/** SQL of the key of the sender. */
export const senderKeyOf = (usual: string, other: string): string =>
  `case when ${IS_FROM_OTHER_SENDER} then ${other}::bigint else ${usual}::bigint end`;

/** True for an email of the broadcast: the last tenth of the big campaign. */
export const inBroadcast = ({ sizes: { emails } }: SeedPlan): string =>
  `n > ${Math.floor(emails * 0.9)} and n <= ${emails}`;

/** $1 to $2: numbers of emails. $3: organization. */
export const EMAIL_TAGS = `
insert into email_tags (organization_id, tag, email_id)
select $3::uuid, unnest(${TAGS}), id from planned_emails where n between $1 and $2 order by n`;

/** $1: organization. */
export const ATTACHMENT_CONTENT = `
insert into attachment_contents (organization_id, sha256, bytes)
select $1::uuid, sha256(bytes), bytes from (select convert_to(repeat('The light is on. ', 500), 'UTF8') as bytes) content
on conflict do nothing`;

/** $1 to $2: numbers of emails; every thousandth has an attachment. $3: organization. */
export const EMAIL_ATTACHMENTS = `
insert into email_attachments (email_id, position, organization_id, sha256, size, filename, content_type)
select id, 0, $3::uuid, sha256, octet_length(bytes), 'light.txt', 'text/plain'
from planned_emails, attachment_contents where n between $1 and $2 and n % 1000 = 0 and organization_id = $3::uuid
order by n`;

const { delivered, bounced, complained } = FACT_RULES;

/** $1 to $2: numbers of emails: a quarter was delivered, one in 200 bounced, one in 10,000 was complained about. */
export const REPORTS = `
insert into recipient_deliveries (email_id, address, state, facts, fact_at)
select email.id, address, 'accepted', case when n % 10000 = 3 then ${delivered.bit | complained.bit}
  when n % 200 = 3 then ${bounced.bit | HARD_BIT} else ${delivered.bit} end, sent_at + interval '2 seconds'
from planned_emails email join planned_contacts contact on contact.id = contact_id
where n between $1 and $2 and n % 4 = 3 order by n`;

const hasFact = ({ bit }: { bit: number }): string => `facts & ${bit} <> 0`;

/** The consequences of the reports, as if they had been stored one by one. */
export const reportCounts = ({ organizationId }: SeedPlan): string[] => [
  `insert into suppressions (organization_id, address_key, reason, address, email_id, created_at)
   select distinct on (address, reason) '${organizationId}', address, reason, address, email_id, fact_at
   from (select address, fact_at, email_id, case when ${hasFact(complained)} then 'complaint' else 'bounce' end as reason
           from recipient_deliveries r join planned_emails p on p.id = email_id
          where facts & ${bounced.bit | complained.bit} <> 0) reported
   order by address, reason, fact_at`,
  `update contacts c set bounces = counted.bounces, complaints = counted.complaints
   from (select address, count(*) filter (where ${hasFact(bounced)}) as bounces,
                count(*) filter (where ${hasFact(complained)}) as complaints
           from recipient_deliveries join planned_emails p on p.id = email_id
          where facts & ${bounced.bit | complained.bit} <> 0 group by address) counted
   where c.organization_id = '${organizationId}' and c.address_key = counted.address`,
  `update campaign_totals t set delivered = counted.delivered, bounced = counted.bounced, complained = counted.complained
   from (select campaign_id, count(*) filter (where ${hasFact(delivered)}) as delivered,
                count(*) filter (where ${hasFact(bounced)}) as bounced,
                count(*) filter (where ${hasFact(complained)}) as complained
           from recipient_deliveries join emails e on e.id = email_id where organization_id = '${organizationId}' group by 1) counted
   where t.campaign_id = counted.campaign_id and t.shard = -1`,
];

/** $1: organization, $2: IDs, $3: subject, $4: HTML. */
export const MESSAGES = `
insert into messages (id, organization_id, subject, html) select id, $1::uuid, $3, $4 from unnest($2::uuid[]) as id`;

/** A broadcast that was sent and a draft, each with the ID of its message. */
export function broadcasts(plan: SeedPlan, sentId: string, draftId: string): string[] {
  const { organizationId } = plan;
  return [
    `insert into broadcasts (id, organization_id, campaign_id, message_id, name, sender, status, created_at, started_at,
                             ended_at, recipients, emails, last_place, next_place)
     select '${sentId}'::uuid, '${organizationId}', campaign.id, '${sentId}'::uuid, 'Big broadcast', '${seedSender}', 'sent',
            min(sent_at), min(sent_at), max(sent_at), count(*), count(*), count(*), count(*)
     from planned_emails, planned_campaigns campaign where number = 1 and ${inBroadcast(plan)} group by campaign.id`,
    `insert into broadcasts (id, organization_id, message_id, name, sender, recipients, last_place)
     select '${draftId}'::uuid, '${organizationId}', '${draftId}'::uuid, 'Draft', '${seedSender}', waiting, waiting
     from (select ceil(count(*) / 100.0) as waiting from planned_contacts) draft`,
    `insert into broadcast_recipients (broadcast_id, address_key, address, place, variables)
     select broadcast.id, address, address, place, jsonb_build_object('number', place)
     from broadcasts broadcast, planned_contacts where broadcast.id = '${draftId}' and place <= recipients order by place`,
  ];
}

/** Number of scheduled emails: one in 1,000, to contacts other than the first. */
export function scheduledOf({ sizes }: SeedPlan): number {
  return Math.min(sizes.contacts - 1, Math.ceil(sizes.emails / 1_000));
}

/**
 * Emails that were accepted at various times and are due in a month or later. They have no position in the queue yet.
 * $1: organization, $2: sender, $3: subject, $4: HTML, $5: tracking IDs.
 */
export function scheduled(plan: SeedPlan): string {
  const { firstContactId, organizationId, startMs, endMs } = plan;
  const ms = `(${startMs} + k * ${endMs - startMs} / ${scheduledOf(plan) + 1})`;
  return `
with planned as materialized (
  select ${uuidV7Sql(ms, `md5('${organizationId}scheduled' || k)`)} as id, tracking_id, contact.id as contact_id, address,
         campaign.id as campaign_id, to_timestamp(${ms} / 1000.0) as created_at,
         to_timestamp(${endMs} / 1000.0) + interval '30 days' + k * interval '1 minute' as send_at
  from unnest($5::text[]) with ordinality as generated (tracking_id, k)
    join planned_contacts contact on contact.id = ${firstContactId} + k, planned_campaigns campaign where number = 2
), email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats, created_at, send_at)
  select id, tracking_id, $1::uuid, campaign_id, array[contact_id], 'queued', true, created_at, send_at from planned
), content as (
  insert into email_contents (email_id, sender, to_addresses, subject, html)
  select id, $2, array[address], $3, $4 from planned
), pending as (
  insert into pending_emails (email_id, organization_id, queued_at, due_at)
  select id, $1::uuid, send_at, send_at from planned
), contact_email as (
  insert into contact_emails (contact_id, email_id) select contact_id, id from planned
), contact_campaign as (
  insert into contact_campaigns (contact_id, campaign_id) select contact_id, campaign_id from planned
)
update contacts set emails = emails + 1 from planned where contacts.id = planned.contact_id`;
}
