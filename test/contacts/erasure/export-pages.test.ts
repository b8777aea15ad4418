import { PersonExports } from '../../../src/contacts/erasure/export-person.js';
import type { OldEvents, OldHit } from '../../../src/events/store/old-events.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { operatorOf } from '../../../src/organizations/audit/record-audit.js';
import { insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.close());

/** Emails to two people, so that no contact is needed. */
async function insertEmails(organizationId: string, emails: number, columns: { html: string; urls: string }) {
  await opened.database.query(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select gen_random_uuid(), 'x-' || gen_random_uuid(), $1, '{}', 'sent', now() from generate_series(1, $2::integer)
       returning id
     ), linked as (
       insert into email_links (email_id, urls) select id, ${columns.urls} from made
     )
     insert into email_contents (email_id, sender, to_addresses, subject, html)
     select id, 'ada@acme.example', array['jane@example.com', 'bob@example.com'], 'S', ${columns.html} from made`,
    [organizationId, emails],
  );
}

it.each([
  ['bodies', { html: `repeat('x', 1000000)`, urls: `'{}'` }],
  ['links', { html: `'x'`, urls: `array_fill(repeat('x', 10000), array[100])` }],
])('an export of emails with long %s holds few of them at a time', async (_, columns) => {
  const organizationId = await insertOrganization(opened.database);
  await insertEmails(organizationId, 20, columns);
  const exports = new PersonExports(opened.database, {} as OldEvents);
  const file = await exports.export(organizationId, operatorOf(organizationId), 'jane@example.com');
  const pieces: string[] = [];
  for await (const piece of file) pieces.push(String(piece));
  const { emails } = JSON.parse(pieces.join('')) as { emails: object[] };
  expect(emails).toHaveLength(20);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(5_000_000);
});

it.each(['0', '(random() * 200000)::integer'])(
  'an export has each email of length %s once, in order',
  async (length) => {
    const organizationId = await insertOrganization(opened.database);
    await insertEmails(organizationId, 130, { html: `repeat('x', ${length})`, urls: `'{}'` });
    const exports = new PersonExports(opened.database, {} as OldEvents);
    const file = await exports.export(organizationId, operatorOf(organizationId), 'jane@example.com');
    let text = '';
    for await (const piece of file) text += String(piece);
    const ids = (JSON.parse(text) as { emails: { id: string }[] }).emails.map(({ id }) => id);
    const stored = await opened.database.query<{ id: string }>(
      'select id from emails where organization_id = $1 order by id',
      [organizationId],
    );
    expect(ids).toEqual(stored.map(({ id }) => id));
  },
);

/** Deliveries of each email of an organization, in the order of their times. */
async function insertDeliveries(organizationId: string, each: number): Promise<void> {
  await opened.database.query(
    `with endpoint as (
       insert into webhook_endpoints (id, organization_id, url, sealed_secret)
       values (gen_random_uuid(), $1, 'https://hooks.example.com/', 'sealed') returning id
     )
     insert into webhook_deliveries (id, endpoint_id, type, email_id, body, status, created_at)
     select gen_random_uuid(), endpoint.id, 'EMAIL_OPENED', e.id, '{}', 'delivered',
            '2026-01-01T00:00:00Z'::timestamptz + n % ($2 / 2) * interval '1 s'
       from endpoint, emails e, generate_series(1, $2::integer) n where e.organization_id = $1`,
    [organizationId, each],
  );
}

it('an export of emails with many webhook deliveries holds few of them at a time, and has each once', async () => {
  const organizationId = await insertOrganization(opened.database);
  await insertEmails(organizationId, 3, { html: `'x'`, urls: `'{}'` });
  await insertDeliveries(organizationId, 20_000);
  const exports = new PersonExports(opened.database, {} as OldEvents);
  const file = await exports.export(organizationId, operatorOf(organizationId), 'jane@example.com');
  const pieces: string[] = [];
  for await (const piece of file) pieces.push(String(piece));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000);
  const { emails } = JSON.parse(pieces.join('')) as { emails: { webhooks: { createdAt: string }[] }[] };
  for (const { webhooks } of emails) {
    expect(webhooks).toHaveLength(20_000);
    const times = webhooks.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort());
    expect(new Set(times).size).toBe(10_000);
  }
  expect(emails[0]!.webhooks[0]).toEqual({
    type: 'EMAIL_OPENED',
    status: 'delivered',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
});

/** A contact in this many campaigns, and as many broadcasts without an email. */
async function insertMemberships(organizationId: string, count: number): Promise<void> {
  await opened.database.query(
    `with contact as (
       insert into contacts (organization_id, address, address_key, first_seen_at, last_activity_at)
       values ($1, 'jane@example.com', 'jane@example.com', now(), now()) returning id
     ), campaign as (
       insert into campaigns (id, organization_id, name)
       select gen_random_uuid(), $1, lpad(n::text, 6, '0') || repeat('x', 190) from generate_series(1, $2::integer) n
       returning id
     ), message as (
       insert into messages (id, organization_id, subject, html)
       select gen_random_uuid(), $1, 'S', 'x' from generate_series(1, $2::integer) returning id
     ), broadcast as (
       insert into broadcasts (id, organization_id, message_id, name, sender)
       select gen_random_uuid(), $1, id, 'B', 'ada@acme.example' from message returning id
     ), joined as (
       insert into contact_campaigns (contact_id, campaign_id) select contact.id, campaign.id from contact, campaign
     )
     insert into broadcast_recipients (broadcast_id, address_key, address, variables)
     select id, 'jane@example.com', 'jane@example.com', jsonb_build_object('text', repeat('x', 1000)) from broadcast`,
    [organizationId, count],
  );
}

it('an export of a person in many campaigns and broadcasts holds few of them at a time, and has each once', async () => {
  const organizationId = await insertOrganization(opened.database);
  await insertMemberships(organizationId, 12_000);
  const exports = new PersonExports(opened.database, { keptFrom: () => Promise.resolve(undefined) } as never);
  const file = await exports.export(organizationId, operatorOf(organizationId), 'jane@example.com');
  const pieces: string[] = [];
  for await (const piece of file) pieces.push(String(piece));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2_000_000);
  const { contact, broadcasts } = JSON.parse(pieces.join('')) as {
    contact: { email: string; campaigns: string[] };
    broadcasts: { broadcastId: string }[];
  };
  expect(contact.email).toBe('jane@example.com');
  expect(new Set(contact.campaigns).size).toBe(12_000);
  expect(contact.campaigns).toHaveLength(12_000);
  expect(new Set(broadcasts.map(({ broadcastId }) => broadcastId)).size).toBe(12_000);
  expect(broadcasts).toHaveLength(12_000);
});

it('an export has an event once that the event store has and Postgres still has', async () => {
  const { database } = opened;
  const organizationId = await insertOrganization(database);
  const keptFrom = new Date();
  const [old, recent] = [new Date(keptFrom.getTime() - 1_000), keptFrom];
  const [email, hit] = [uuidV7(old.getTime()), uuidV7(old.getTime())];
  await database.query(
    `with contact as (
       insert into contacts (organization_id, address, address_key, emails, first_seen_at, last_activity_at)
       values ($1, 'ada@example.com', 'ada@example.com', 1, $5, $5) returning id
     ), email as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, opens, created_at)
       select $2::uuid, 'x-' || $2::uuid, $1, array[id], 'sent', 2, $5 from contact
     ), joined as (
       insert into contact_emails (contact_id, email_id) select id, $2 from contact
     )
     insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
     select event.id, 1, event.at, 'opened', $2, contact.id
       from contact, (values ($3::uuid, $5::timestamptz), ($4, $6)) as event (id, at)`,
    [organizationId, email, hit, uuidV7(recent.getTime()), old, recent],
  );
  const inStore: OldHit = {
    ...{ id: hit, email: `x-${email}`, type: 'opened', at: old },
    ...{ linkPosition: -1, verdict: 0, url: null },
  };
  const oldEvents = { keptFrom: () => Promise.resolve(keptFrom), of: () => Promise.resolve([inStore]) };
  const exports = new PersonExports(database, oldEvents as never);
  const file = await exports.export(organizationId, operatorOf(organizationId), 'ada@example.com');
  let text = '';
  for await (const piece of file) text += String(piece);
  const { events } = JSON.parse(text) as { events: { occurredAt: string }[] };
  expect(events.map(({ occurredAt }) => occurredAt)).toEqual([old.toISOString(), recent.toISOString()]);
});
