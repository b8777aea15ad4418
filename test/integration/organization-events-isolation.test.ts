import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { eventually } from '../support/eventually.js';
import { addReportingProvider, report, tookOwnProvider } from '../support/reporting-providers.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';
import { EventWebhookKey, sendGridEvent } from '../support/sendgrid-calls.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const SECONDS = 1_000;
const MONTH_S = 31 * 86_400;

/** An organization with a provider of its own, whose calls it can sign itself. */
interface Owner {
  readonly client: TestClient;
  readonly key: EventWebhookKey;
  readonly id: string;
}

const serviceKey = new EventWebhookKey();
let service: TestService;
let attacker: Owner;
let victim: Owner;

beforeAll(async () => {
  service = await TestService.start({ environment: { SENDGRID_EVENT_PUBLIC_KEY: serviceKey.publicKey } });
  [attacker, victim] = [await owner(), await owner()];
});
afterAll(() => service?.stop());

async function owner(): Promise<Owner> {
  const [client, key] = [await service.organization(), new EventWebhookKey()];
  return { client, key, id: await addReportingProvider(service, client.organizationId, 'sendgrid', key.publicKey) };
}

let sequence = 0;
const addresses = new Map<string, string>();

/** Sends an email to a new address, through the service's provider. */
async function sentByService({ client }: Owner): Promise<string> {
  const address = `reader${(sequence += 1)}@example.com`;
  const email = { from: 'ada@acme.example', to: address, subject: 'S', htmlContent: '<p>x</p>' };
  const { message } = await sendMessage(client, service.mailServer, email);
  addresses.set(message.emailId, address);
  return message.emailId;
}

/** Sends an email to a new address, through a provider of its organization. */
async function sent(by: Owner): Promise<string> {
  const email = await sentByService(by);
  await tookOwnProvider(service, email);
  return email;
}

function about(email: string, type: string, more: object = {}): Record<string, unknown> {
  return sendGridEvent(type, {
    email: addresses.get(email) ?? 'reader@example.com',
    mailbeacon_email_id: email,
    ...more,
  });
}

function post({ key }: { readonly key: EventWebhookKey }, to: string, events: readonly unknown[], at = service) {
  const body = JSON.stringify(events);
  return report(at, to, { body, headers: key.sign(body) });
}

async function isInState({ client }: Owner, email: string, state: string): Promise<void> {
  await eventually(
    async () => (await client.get<EmailDetail>(`/api/emails/${email}`)).body.recipients[0]?.state === state,
  );
}

it('an event of one organization never counts as the repeat of another one', async () => {
  const [mine, theirs, ofService] = [await sent(attacker), await sent(victim), await sentByService(victim)];
  // The ID of an event tells the message, which its recipients know, and the time is easily guessed.
  const same = { sg_event_id: 'Ym91bmNlLTAtNzI', timestamp: Math.floor(Date.now() / SECONDS) };
  await post(attacker, attacker.id, [about(mine, 'delivered', same)]);
  await isInState(attacker, mine, 'delivered');
  await post(victim, victim.id, [about(theirs, 'spamreport', same)]);
  await isInState(victim, theirs, 'complained');
  await post({ key: serviceKey }, 'sendgrid', [about(ofService, 'spamreport', same)]);
  await isInState(victim, ofService, 'complained');
});

it('a call may report mail of the organization and of others, which is ignored', async () => {
  const [mine, theirs] = [await sent(attacker), await sent(victim)];
  const events = [about(mine, 'delivered'), about(theirs, 'spamreport'), about(uuidV7(Date.now()), 'spamreport')];
  expect(await post(attacker, attacker.id, events)).toMatchObject({ status: 200, body: { stored: 1, ignored: 2 } });
  await isInState(attacker, mine, 'delivered');
  await isInState(victim, theirs, 'sent');
});

it("a provider of the organization reports nothing about mail that only the service's provider sent", async () => {
  const [byService, byOwn] = [await sentByService(attacker), await sent(attacker)];
  const events = (email: string) => [about(email, 'bounce', { type: 'blocked' }), about(email, 'spamreport')];
  const call = [...events(byService), ...events(byOwn)];
  expect(await post(attacker, attacker.id, call)).toMatchObject({ status: 200, body: { stored: 2, ignored: 2 } });
  await isInState(attacker, byOwn, 'complained');
  await isInState(attacker, byService, 'sent');
});

it('a provider of the organization reports on mail that the organization only tracks', async () => {
  const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await attacker.client.post<{ emailTrackingId: string }>('/api/emails', message);
  const { id } = (await attacker.client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`)).body;
  expect(await post(attacker, attacker.id, [about(id, 'delivered')])).toMatchObject({
    status: 200,
    body: { stored: 1 },
  });
});

it('an organization cannot name its email by the tracking ID of another one', async () => {
  const theirs = await sent(victim);
  const [row] = await service.database.query<{ trackingId: string }>(
    'select tracking_id as "trackingId" from emails where id = $1',
    [theirs],
  );
  for (const name of [row!.trackingId, theirs.toUpperCase(), [theirs], { id: theirs }])
    expect(
      await post(attacker, attacker.id, [about(theirs, 'spamreport', { mailbeacon_email_id: name })]),
    ).toMatchObject({
      status: 200,
      body: { stored: 0, ignored: 1 },
    });
  await isInState(victim, theirs, 'sent');
});

it('a time that is still to come becomes that of the email, so that no month fills before it begins', async () => {
  const mine = await sent(attacker);
  await post(attacker, attacker.id, [about(mine, 'delivered', { timestamp: Date.now() / SECONDS + 3 * MONTH_S })]);
  await isInState(attacker, mine, 'delivered');
  const rows = await service.database.query<{ isNow: boolean }>(
    `select occurred_at between now() - interval '1 hour' and now() as "isNow" from delivery_events where email_id = $1`,
    [mine],
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every(({ isNow }) => isNow)).toBe(true);
});

it('a call gets 503 while Postgres is away, before and after its provider is known', async () => {
  const database = new URL(service.settings.DATABASE_URL);
  const proxy = await TcpProxy.before(database);
  const environment = { ROLES: 'api', DATABASE_URL: proxy.through(database.href) };
  const other = await TestService.start({ beside: service, environment });
  const mine = await sent(attacker);
  const send = () => post(attacker, attacker.id, [about(mine, 'delivered')], other);
  try {
    expect((await send()).status).toBe(200);
    await proxy.goDown();
    for (const wait of [0, 3_500]) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const { status, retryAfter } = await send();
      expect([status, Number(retryAfter) > 0]).toEqual([503, true]);
    }
    await proxy.comeUp();
    await eventually(async () => (await send()).status === 200);
  } finally {
    await proxy.comeUp();
    await other.stop();
    await proxy.goDown();
  }
});
