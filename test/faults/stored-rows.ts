import type { Sql } from '../../src/platform/database/database.js';
import { sentEventId } from '../../src/events/sent-event.js';
import type { StoredCampaign, StoredContact, StoredEmail, StoredEvent, StoredRows } from './observations.js';
import type { Testbed } from './testbed/testbed.js';

/** Everything that Postgres stores about an organization, in one snapshot. */
export function readStoredRows({ database }: Testbed, organizationId: string): Promise<StoredRows> {
  return database.transaction(async (sql) => {
    await sql.query('set transaction isolation level repeatable read, read only');
    return {
      emails: await readEmails(sql, organizationId),
      events: await sql.query<StoredEvent>(EVENTS, [organizationId]),
      contacts: await sql.query<StoredContact>(CONTACTS, [organizationId]),
      campaigns: await sql.query<StoredCampaign>(CAMPAIGNS, [organizationId]),
    };
  });
}

interface EmailRow extends Omit<StoredEmail, 'outcomeUnknown' | 'sentEventId' | 'to' | 'cc' | 'bcc'> {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly lastError: string | null;
  readonly sentAt: Date | null;
}

async function readEmails(sql: Sql, organizationId: string): Promise<StoredEmail[]> {
  const rows = await sql.query<EmailRow>(EMAILS, [organizationId]);
  return rows.map(({ lastError, sentAt, to, cc, bcc, ...row }) => ({
    ...row,
    to: to.map(bareAddress),
    cc: cc.map(bareAddress),
    bcc: bcc.map(bareAddress),
    outcomeUnknown: lastError?.startsWith('Delivery outcome unknown') ?? false,
    sentEventId: row.status === 'sent' && sentAt ? sentEventId(row.id, sentAt) : null,
  }));
}

function bareAddress(mailbox: string): string {
  return (/<([^>]*)>$/.exec(mailbox)?.[1] ?? mailbox).toLowerCase();
}

const EMAILS = `
select e.id, c.metadata ->> 'sendKey' as key, e.tracking_id as "trackingId", e.status, k.name as campaign,
       c.to_addresses as "to", c.cc_addresses as cc, c.bcc_addresses as bcc, c.subject,
       array(select o.address_key from unnest(e.contact_ids) with ordinality as i (id, place)
               join contacts o on o.id = i.id order by i.place) as contacts,
       coalesce(l.urls, '{}') as urls, e.possible_duplicate as "possibleDuplicate", e.provider_id as "providerId",
       e.last_error as "lastError", e.sent_at as "sentAt", e.opens::int, e.clicks::int,
       (select coalesce(json_object_agg(n.position, n.clicks), '{}') from email_link_clicks n
         where n.email_id = e.id) as "clicksByPosition",
       (select coalesce(json_object_agg(n.position, n.machine_clicks), '{}') from email_link_clicks n
         where n.email_id = e.id) as "machineClicksByPosition",
       (select coalesce(json_object_agg(m.class, m.hits), '{}') from email_machine_hits m
         where m.email_id = e.id) as machines,
       e.machine_opens::int as "machineOpens", e.machine_clicks::int as "machineClicks",
       e.person_opened as "personOpened", e.person_clicked as "personClicked"
  from emails e
  join email_contents c on c.email_id = e.id
  left join campaigns k on k.id = e.campaign_id
  left join email_links l on l.email_id = e.id
 where e.organization_id = $1`;

const EVENTS = `
select v.id, v.ordinal, v.type, v.email_id as "emailId", coalesce(o.address_key, '') as contact,
       v.link_position as position, v.url, v.verdict,
       to_char(v.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
  from events v
  join emails e on e.id = v.email_id
  left join contacts o on o.id = v.contact_id
 where e.organization_id = $1`;

const CONTACTS = `
select o.address_key as address, o.emails::int, o.opens::int, o.clicks::int,
       o.machine_opens::int as "machineOpens", o.machine_clicks::int as "machineClicks",
       array(select k.name from contact_campaigns m join campaigns k on k.id = m.campaign_id
              where m.contact_id = o.id) as campaigns,
       array(select m.email_id::text from contact_emails m where m.contact_id = o.id) as "emailIds"
  from contacts o
 where o.organization_id = $1`;

const CAMPAIGNS = `
select k.name, k.archived_at is not null as archived,
       t.*,
       (select coalesce(json_object_agg(l.url, l.machine_clicks), '{}') from campaign_links l
         where l.campaign_id = k.id) as "machineLinks",
       (select coalesce(json_object_agg(l.url, l.clicks), '{}') from campaign_links l
         where l.campaign_id = k.id) as links
  from campaigns k
 cross join lateral (
   select coalesce(sum(emails), 0)::int as emails, coalesce(sum(opens), 0)::int as opens,
          coalesce(sum(clicks), 0)::int as clicks, coalesce(sum(machine_opens), 0)::int as "machineOpens",
          coalesce(sum(machine_clicks), 0)::int as "machineClicks", coalesce(sum(unique_opens), 0)::int as "uniqueOpens",
          coalesce(sum(unique_clicks), 0)::int as "uniqueClicks",
          json_build_object('prefetch', coalesce(sum(prefetches), 0)::int, 'preview', coalesce(sum(previews), 0)::int,
            'scanner', coalesce(sum(scans), 0)::int, 'bot', coalesce(sum(bots), 0)::int) as machines
     from campaign_totals where campaign_id = k.id) t
 where k.organization_id = $1`;
