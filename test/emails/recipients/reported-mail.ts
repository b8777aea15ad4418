import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { Database } from '../../../src/platform/database/database.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { flushEntries } from '../../support/flush-entries.js';
import { recipientEventId, type RecipientEvent } from '../../../src/events/recipient-event.js';
import { RECIPIENT_WEBHOOK_EVENTS } from '../../../src/webhooks/webhook-events.js';

/** The recipients of every email of `mailToReportOn`, in the order of their positions. */
export const RECIPIENTS = ['ann@example.com', 'Bob@Example.com', 'carol@example.com'] as const;

export interface ReportedMail {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly emails: readonly { readonly id: string; readonly trackingId: string }[];
}

let made = 0;

/** Inserts sent emails to `RECIPIENTS` by to, cc and bcc, and a webhook for every event about recipients. */
export async function mailToReportOn(database: Database, count: number, status = 'sent'): Promise<ReportedMail> {
  const now = Date.now();
  const [organizationId, campaignId] = [uuidV7(now), uuidV7(now)];
  await database.query(`insert into organizations (id, name, plan) values ($1, 'Example', 'free')`, [organizationId]);
  await database.query(`insert into campaigns (id, organization_id, name) values ($1, $2, 'Spring')`, [
    campaignId,
    organizationId,
  ]);
  await database.query(
    `insert into webhook_endpoints (id, organization_id, url, events) values ($1, $2, 'https://hooks.example', $3)`,
    [uuidV7(now), organizationId, [...RECIPIENT_WEBHOOK_EVENTS]],
  );
  const [ann, bob, carol] = RECIPIENTS;
  const contacts = await database.query<{ id: string }>(
    `insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
     select $1, lower(a), a, 1, now(), now() from unnest($2::text[]) a returning id`,
    [organizationId, [ann, bob]],
  );
  const emails = [];
  for (let index = 0; index < count; index++) {
    const email = { id: uuidV7(now + index), trackingId: `reported-${made++}` };
    await database.query(
      `insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats)
       values ($1, $2, $3, $4, $5::bigint[], $6, true)`,
      [email.id, email.trackingId, organizationId, campaignId, contacts.map(({ id }) => id), status],
    );
    await database.query(
      `insert into email_contents (email_id, sender, to_addresses, cc_addresses, bcc_addresses, subject, html)
       values ($1, 'Shop <news@mail.shop.example>', $2, $3, $4, 'Hello', '<p>Hello</p>')`,
      [email.id, [`Ann <${ann}>`], [bob], [`"Carol, the boss" <${carol}>`]],
    );
    emails.push(email);
  }
  return { organizationId, campaignId, emails };
}

let reports = 0;

/** @param details `at` in milliseconds and any field of the event */
export function reportOf(
  email: string,
  recipient: string | number,
  fact: RecipientEvent['fact'],
  { at = Date.now(), ...details }: { at?: number } & Partial<RecipientEvent> = {},
): RecipientEvent {
  return { type: 'recipient', id: recipientEventId(at, `report ${reports++}`), email, recipient, fact, ...details };
}

let entries = 0;

/** Flushes the reports as one stream entry. */
export function flushReported(database: Database, events: readonly RecipientEvent[], softBounceLimit = 5) {
  const packed = packEntry(events.map(encodeEvent));
  return flushEntries(database, [{ id: `1-${entries++}`, packed, raw: packed, deliveries: 1 }], {
    SOFT_BOUNCE_LIMIT: softBounceLimit,
  });
}

/** Everything that reports change for the organization. */
export async function readReported(database: Database, { organizationId, campaignId }: ReportedMail) {
  const read = (sql: string, parameter = organizationId) => database.query<Record<string, unknown>>(sql, [parameter]);
  return {
    events: (await read('select id from delivery_events where organization_id = $1 order by id')).map(({ id }) => id),
    records: await read(
      `select r.email_id, r.address, r.state, r.facts, r.reason, r.smtp_status, r.fact_at
         from recipient_deliveries r join emails e on e.id = r.email_id where e.organization_id = $1
        order by email_id, address collate "C"`,
    ),
    campaign: (
      await read(
        `select coalesce(sum(delivered), 0)::int as delivered, coalesce(sum(deferred), 0)::int as deferred, coalesce(sum(bounced), 0)::int as bounced,
           coalesce(sum(complained), 0)::int as complained, coalesce(sum(unsubscribed), 0)::int as unsubscribed, coalesce(sum(suppressed), 0)::int as suppressed
           from campaign_totals where campaign_id = $1`,
        campaignId,
      )
    )[0]!,
    hours: await readHours(database, campaignId),
    contacts: await read(
      `select address_key, bounces::int, complaints::int from contacts where organization_id = $1 order by address_key`,
    ),
    suppressions: (
      await read('select address_key, reason from suppressions where organization_id = $1 order by 1, 2')
    ).map(({ address_key: key, reason }) => `${String(key)} ${String(reason)}`),
  };
}

/** All recipients by fact, and unsubscriptions by the hour: only those do not depend on the order of arrival. */
function readHours(database: Database, campaignId: string) {
  return database.query<Record<string, unknown>>(
    `with counted as (
       select hour, delivered, deferred, bounced, complained, unsubscribed from stat_deltas where campaign_id = $1
       union all
       select hour, delivered, deferred, bounced, complained, unsubscribed from hourly_stats where campaign_id = $1
     )
     select 'delivered' as fact, coalesce(sum(delivered), 0)::int as recipients from counted
     union all select 'deferred', coalesce(sum(deferred), 0)::int from counted
     union all select 'bounced', coalesce(sum(bounced), 0)::int from counted
     union all select 'complained', coalesce(sum(complained), 0)::int from counted
     union all (select 'unsubscribed ' || (hour at time zone 'UTC'), sum(unsubscribed)::int from counted group by hour
                having sum(unsubscribed) <> 0 order by hour)`,
    [campaignId],
  );
}

export interface SentWebhook {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** The bodies of the webhook deliveries in order of creation, as far as their IDs show it. */
export async function readWebhooks(database: Database, { organizationId }: ReportedMail): Promise<SentWebhook[]> {
  const rows = await database.query<{ body: string }>(
    `select d.body from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where w.organization_id = $1 order by d.id`,
    [organizationId],
  );
  return rows.map(({ body }) => JSON.parse(body) as SentWebhook);
}
