import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/platform/database/database.js';

/** The status after a cancellation, by the state of the email before it. */
export const ENDS = { free: 'canceled', doubtful: 'failed', reached: 'sent', claimed: 'queued' } as const;

interface PlannedEmail {
  readonly id: string;
  readonly kind: keyof typeof ENDS;
  /** Indexes into the lists of contacts and campaigns; -1 for no campaign. */
  readonly contacts: readonly number[];
  readonly campaign: number;
  readonly hour: number;
}

export interface MixedQueue {
  readonly emails: readonly PlannedEmail[];
  readonly contactIds: readonly string[];
  readonly campaignIds: readonly string[];
}

interface Sizes {
  readonly emails: number;
  readonly contacts: number;
  /** 0 for emails without a campaign. */
  readonly campaigns: number;
  readonly recipients: 1 | 2;
  /** Leaves out emails that a worker is sending. */
  readonly unclaimed?: true;
}

const HOUR = Date.UTC(2026, 0, 1);
const HOURS = 5;
/** Most are free. The order puts each of the others at the start or end of a batch at least once. */
const KINDS = ['free', 'doubtful', 'free', 'free', 'reached', 'free', 'claimed', 'free', 'free'] as const;

/**
 * Inserts queued emails of every kind in a mixed order, several per contact and campaign, with all their counts. They
 * are due tomorrow, so workers do not take them.
 */
export async function fillMixedQueue(
  database: Database,
  organizationId: string,
  sizes: Sizes,
  broadcastId: string | null = null,
): Promise<MixedQueue> {
  const campaignIds = Array.from({ length: sizes.campaigns }, () => randomUUID());
  const kinds = KINDS.filter((kind) => kind !== 'claimed' || !sizes.unclaimed);
  const emails = Array.from({ length: sizes.emails }, (_, n): PlannedEmail => {
    const first = n % sizes.contacts;
    const contacts = sizes.recipients === 2 && n % 4 === 0 ? [first, (first + 1) % sizes.contacts] : [first];
    // With several campaigns, one value stands for "no campaign".
    const campaign = sizes.campaigns === 1 ? 0 : (n % (sizes.campaigns + 1)) - 1;
    return { id: randomUUID(), kind: kinds[n % kinds.length]!, contacts, campaign, hour: n % HOURS };
  });
  const contactIds = await database.transaction(async (sql) => {
    await sql.query(
      `insert into campaigns (id, organization_id, name) select id, $1, 'C' || n from unnest($2::uuid[]) with ordinality c (id, n)`,
      [organizationId, campaignIds],
    );
    const made = await sql.query<{ id: string }>(
      `insert into contacts (organization_id, address_key, address, first_seen_at, last_activity_at)
       select $1, a, a, to_timestamp($3::float8), to_timestamp($3::float8)
         from generate_series(1, $2::integer) n, lateral (select 'c' || n || '-' || $4 || '@example.com' as a) x
        order by n returning id`,
      [organizationId, sizes.contacts, HOUR / 1000, randomUUID()],
    );
    const ids = made.map(({ id }) => id);
    await sql.query(INSERT_EMAILS, [
      organizationId,
      JSON.stringify(
        emails.map(({ id, kind, contacts, campaign, hour }) => ({
          id,
          kind,
          contact_ids: contacts.map((position) => Number(ids[position])),
          campaign_id: campaignIds[campaign] ?? null,
          created_at: new Date(HOUR + hour * 3_600_000).toISOString(),
        })),
      ),
      broadcastId,
    ]);
    await sql.query(COUNT, [organizationId]);
    return ids;
  });
  return { emails, contactIds, campaignIds };
}

/** $1: organization, $2: emails, $3: broadcast. */
const INSERT_EMAILS = `
with planned as materialized (
  select * from json_to_recordset($2::json)
    as planned (id uuid, kind text, contact_ids json, campaign_id uuid, created_at timestamptz)
), email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, created_at, in_stats, broadcast_id)
  select id, 'm-' || id, $1, campaign_id, array(select json_array_elements_text(contact_ids)::bigint), 'queued', created_at, true, $3
    from planned
  returning id, contact_ids, campaign_id
), content as (
  insert into email_contents (email_id, sender, to_addresses, subject, html)
  select id, 'a@acme.example', array(select address from contacts where id = any(contact_ids)), 'S', '<p>x</p>' from email
), membership as (
  insert into contact_campaigns (contact_id, campaign_id)
  select distinct unnest(contact_ids), campaign_id from email where campaign_id is not null
), contact_email as (
  insert into contact_emails (contact_id, email_id) select unnest(contact_ids), id from email
)
insert into pending_emails (email_id, organization_id, broadcast_id, due_at, attempts, possible_duplicate, provider_id,
                            lease_token, lease_until)
select id, $1, $3, now() + interval '1 day', 1, kind = 'doubtful', case when kind = 'reached' then 'accepted' end,
       case when kind = 'claimed' then gen_random_uuid() end,
       case when kind = 'claimed' then now() + interval '1 day' end
  from planned`;

const COUNT = `
with contact as (
  update contacts c set emails = (select count(*) from contact_emails m where m.contact_id = c.id)
   where c.organization_id = $1
), total as (
  insert into campaign_totals (campaign_id, shard, emails)
  select campaign_id, 3, count(*) from emails where organization_id = $1 and campaign_id is not null group by 1
)
insert into stat_deltas (organization_id, campaign_id, hour, emails)
select organization_id, campaign_id, date_trunc('hour', created_at, 'UTC'), count(*) from emails
 where organization_id = $1 group by 1, 2, 3`;
