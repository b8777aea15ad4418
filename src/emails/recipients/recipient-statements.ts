import { nullableTextArray, plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { FULL_OF_OTHERS } from '../../webhooks/full-endpoints.sql.js';
import { INSERT_RECIPIENT_DELIVERIES } from '../../webhooks/recipient-payloads.sql.js';
import { recordKey, type Consequences } from './apply-reports.js';
import { CAMPAIGN_FACTS } from './fact-rules.js';
import type { RecipientRecord } from './recipient-state.js';
import type { Report } from './reported-emails.js';

/** $1 ids, $2 times in milliseconds, $3 organizations, $4 emails, $5 address keys, $6 to $9 the report. */
const INSERT_EVENTS = `
insert into delivery_events (id, occurred_at, organization_id, email_id, address_key, type, bounce, smtp_status, reason,
  arrival)
select id, to_timestamp(milliseconds / 1000.0), organization_id, email_id, address_key, type, bounce, smtp_status, reason,
  nextval('delivery_events_arrival')
from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
  as new (id, milliseconds, organization_id, email_id, address_key, type, bounce, smtp_status, reason)`;

/** $1 ids, $2 and $3 the times of the first and the last of them, in milliseconds. */
const STORED = `
select id from delivery_events
where id = any($1::uuid[]) and occurred_at between to_timestamp($2 / 1000.0) and to_timestamp($3 / 1000.0)`;

/** $1 email ids. */
const READ_RECORDS = `
select email_id as "emailId", address, state as "handOver", facts, reason, smtp_status as "smtpStatus",
  (extract(epoch from fact_at) * 1000)::float8 as "factAt",
  (extract(epoch from unsubscribed_at) * 1000)::float8 as "unsubscribedAt",
  (extract(epoch from updated_at) * 1000)::float8 as "updatedAt"
from recipient_deliveries where email_id = any(array(select unnest($1::uuid[])))`;

/**
 * In the order in which all code locks these rows. The hand-over is only changed when this transaction decides it.
 * $1 emails, $2 addresses, $3 hand-overs, $4 facts, $5 reasons, $6 status codes, $7 times in milliseconds, $8 true when
 * the hand-over is decided, $9 times of unsubscriptions in milliseconds.
 */
const STORE_RECORDS = `
insert into recipient_deliveries as r (email_id, address, state, facts, reason, smtp_status, fact_at, unsubscribed_at)
select email_id, address, state, facts, reason, smtp_status, to_timestamp(milliseconds / 1000.0),
  to_timestamp(unsubscribed / 1000.0)
from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::bigint[], $9::bigint[])
  as new (email_id, address, state, facts, reason, smtp_status, milliseconds, unsubscribed)
order by email_id, address collate "C"
on conflict (email_id, address) do update
set facts = excluded.facts, reason = excluded.reason, smtp_status = excluded.smtp_status, fact_at = excluded.fact_at,
  unsubscribed_at = excluded.unsubscribed_at,
  state = case when $8::boolean and r.state = 'deferred' then excluded.state else r.state end, updated_at = now()`;

/** $1 ids, then one list per fact. Shard -1 belongs to the flusher. */
const COUNT_CAMPAIGNS = `
insert into campaign_totals (campaign_id, shard, ${CAMPAIGN_FACTS.join(', ')})
select id, -1, ${CAMPAIGN_FACTS.join(', ')}
from unnest($1::uuid[], ${CAMPAIGN_FACTS.map((_, index) => `$${index + 2}::bigint[]`).join(', ')})
  as new (id, ${CAMPAIGN_FACTS.join(', ')})
order by id
on conflict (campaign_id, shard) do update
set ${CAMPAIGN_FACTS.map((fact) => `${fact} = campaign_totals.${fact} + excluded.${fact}`).join(', ')}`;

/**
 * Only the contacts of each email: copies count for no contact, and neither does an email that left the recipient out.
 * $1 emails, $2 keys, $3 bounces, $4 complaints.
 */
const COUNT_CONTACTS = `
with counted as (
  select c.id, sum(new.bounces) as bounces, sum(new.complaints) as complaints
  from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) as new (email_id, key, bounces, complaints)
  join emails e on e.id = new.email_id join contacts c on c.id = any(e.contact_ids) and c.address_key = new.key
  group by c.id
), locked as (
  select c.id, counted.bounces, counted.complaints from contacts c join counted on counted.id = c.id
  order by c.organization_id, c.address_key for no key update of c
)
update contacts c set bounces = c.bounces + locked.bounces, complaints = c.complaints + locked.complaints
from locked where c.id = locked.id`;

/** IDs of the reports that are already stored. */
export async function storedIds(sql: Sql, reports: readonly Report[]): Promise<ReadonlySet<string>> {
  if (reports.length === 0) return new Set();
  const times = reports.map(({ event }) => timeOfUuidV7(event.id));
  const range = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), 0)];
  const rows = await sql.query<{ id: string }>(STORED, [reports.map(({ event }) => event.id), ...range]);
  return new Set(rows.map(({ id }) => id));
}

/** @throws a unique violation when one of the reports is already stored */
export async function insertReports(sql: Sql, reports: readonly Report[]): Promise<void> {
  await sql.prepared('insert-delivery-events', INSERT_EVENTS, [
    plainArray(reports.map(({ event }) => event.id)),
    plainArray(reports.map(({ event }) => timeOfUuidV7(event.id))),
    plainArray(reports.map(({ email }) => email.organizationId)),
    plainArray(reports.map(({ email }) => email.id)),
    textArray(reports.map(({ addressKey }) => addressKey)),
    plainArray(reports.map(({ event }) => event.fact)),
    plainArray(reports.map(({ event }) => (event.fact === 'bounced' ? (event.bounce ?? 'null') : 'null'))),
    nullableTextArray(reports.map(({ event }) => event.smtpStatus)),
    nullableTextArray(reports.map(({ event }) => event.reason)),
  ]);
}

/** A stored record and when its row last changed, in milliseconds. */
type StoredRecord = RecipientRecord & { readonly updatedAt: number };

export async function readRecords(sql: Sql, emailIds: readonly string[]): Promise<Map<string, StoredRecord>> {
  const rows = await sql.prepared<StoredRecord & { emailId: string; address: string }>(
    'read-recipient-records',
    READ_RECORDS,
    [plainArray(emailIds)],
  );
  return new Map(rows.map(({ emailId, address, ...record }) => [recordKey(emailId, address), record]));
}

export async function storeRecords(sql: Sql, { records }: Consequences, decidesHandOver: boolean): Promise<void> {
  if (records.size === 0) return;
  const rows = [...records.values()];
  await sql.prepared('store-recipient-records', STORE_RECORDS, [
    plainArray(rows.map(({ of }) => of.email.id)),
    textArray(rows.map(({ of }) => of.address)),
    plainArray(
      rows.map(({ record }) => (decidesHandOver && record.handOver === 'deferred' ? 'refused' : record.handOver)),
    ),
    plainArray(rows.map(({ record }) => record.facts)),
    nullableTextArray(rows.map(({ record }) => record.reason)),
    nullableTextArray(rows.map(({ record }) => record.smtpStatus)),
    plainArray(rows.map(({ record }) => record.factAt ?? 'null')),
    decidesHandOver,
    plainArray(rows.map(({ record }) => record.unsubscribedAt ?? 'null')),
  ]);
}

export async function countReports(sql: Sql, { campaignCounts, contactCounts }: Consequences): Promise<void> {
  const contacts = [...contactCounts.values()];
  if (contacts.length > 0) {
    await sql.prepared('count-reported-contacts', COUNT_CONTACTS, [
      plainArray(contacts.map(({ of }) => of.email.id)),
      textArray(contacts.map(({ of }) => of.addressKey)),
      plainArray(contacts.map(({ bounces }) => bounces)),
      plainArray(contacts.map(({ complaints }) => complaints)),
    ]);
  }
  if (campaignCounts.size === 0) return;
  await sql.prepared('count-reported-campaigns', COUNT_CAMPAIGNS, [
    plainArray([...campaignCounts.keys()]),
    ...CAMPAIGN_FACTS.map((fact) => plainArray([...campaignCounts.values()].map((counts) => counts.get(fact) ?? 0))),
  ]);
}

export interface RecipientDeliveries {
  /** IDs of the new webhook deliveries. */
  readonly webhookDeliveries: readonly string[];
  /** Endpoints that got not all because too many of their deliveries are pending. */
  readonly fullEndpoints: number;
}

export async function insertRecipientDeliveries(
  sql: Sql,
  webhooks: Consequences['webhooks'],
): Promise<RecipientDeliveries> {
  if (webhooks.length === 0) return { webhookDeliveries: [], fullEndpoints: 0 };
  const repeated = [...new Set(webhooks.filter(({ mayRepeat }) => mayRepeat).map(({ of }) => of.email.id))];
  const full =
    repeated.length === 0
      ? []
      : await sql.prepared<{ id: string }>('full-recipient-webhooks', FULL_OF_OTHERS, [plainArray(repeated)]);
  const rows = await sql.prepared<{ id: string }>('insert-recipient-webhooks', INSERT_RECIPIENT_DELIVERIES, [
    plainArray(webhooks.map(({ of }) => of.email.id)),
    plainArray(webhooks.map(({ type }) => type)),
    textArray(webhooks.map(({ of }) => of.address)),
    nullableTextArray(webhooks.map(({ of }) => of.event.reason)),
    nullableTextArray(webhooks.map(({ of }) => of.event.smtpStatus)),
    plainArray(webhooks.map(({ of }) => (of.event.fact === 'bounced' ? (of.event.bounce ?? 'null') : 'null'))),
    plainArray(webhooks.map(({ of }) => timeOfUuidV7(of.event.id))),
    plainArray(webhooks.map(({ mayRepeat }) => String(mayRepeat))),
    plainArray(full.map(({ id }) => id)),
  ]);
  return { webhookDeliveries: rows.map(({ id }) => id), fullEndpoints: full.length };
}
