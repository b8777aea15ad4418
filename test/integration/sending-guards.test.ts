import { randomUUID } from 'node:crypto';
import { resumeSending } from '../../src/organizations/guard/guard-change.js';
import { CLAIM } from '../../src/emails/delivery/claim-statement.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { TestGuards } from '../support/sending-guards.js';
import { TestService, type TestClient } from '../support/service.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';

const key = new EventWebhookKey();
let service: TestService;
let client: TestClient;
let guards: TestGuards;

beforeAll(async () => {
  service = await TestService.start({
    environment: { SENDGRID_EVENT_PUBLIC_KEY: key.publicKey, GUARD_MIN_SENT: '3', GUARD_SLOW_PER_MINUTE: '600' },
  });
  guards = TestGuards.beside(service);
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(async () => {
  await guards?.stop();
  await service?.stop();
});

let sequence = 0;
const send = (by = client) =>
  by.post<SendResponse & { error?: string }>(
    '/api/send',
    {
      from: 'Ada <ada@acme.example>',
      to: `reader${(sequence += 1)}@example.com`,
      subject: 'S',
      htmlContent: '<p>x</p>',
    },
    { prefer: 'respond-async' },
  );

interface Rates {
  readonly sent: number;
  readonly bounced: number;
  readonly complained: number;
}

async function rates(of = client): Promise<Rates[]> {
  return service.database.query<Rates & { [field: string]: unknown }>(
    'select sent, bounced, complained from sending_rates where organization_id = $1 order by domain',
    [of.organizationId],
  );
}

async function reportsAbout(emailId: string): Promise<number> {
  return (await service.database.query('select from delivery_events where email_id = $1', [emailId])).length;
}

/** Sets how many emails the organization has sent and how many bounced. */
async function count(sent: number, bounced: number, hoursAgo = 0, of = client): Promise<void> {
  await service.database.query(
    `insert into sending_rates (organization_id, hour, domain, sent, bounced)
     values ($1, date_trunc('hour', now() - $4 * interval '1 hour', 'UTC'), 'acme.example', $2, $3)`,
    [of.organizationId, sent, bounced, hoursAgo],
  );
}

const stateOf = (of = client) => guards.stateOf(of);
const setState = (state: string) => guards.setState(client, state);
const recount = (bounced: number) => guards.recount(client, bounced);

it('counts recipients, hard bounces and complaints once, even if events repeat', async () => {
  const { body } = await send();
  const email = await eventually(async () => {
    const detail = await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`);
    return detail.body.status === 'sent' && detail.body;
  });
  await eventually(async () => (await rates())[0]?.sent === 1);
  const about = { mailbeacon_email_id: email.id, email: email.to[0] };
  const events = [
    sendGridEvent('bounce', { ...about, type: 'bounce', status: '5.1.1' }),
    sendGridEvent('bounce', { ...about, type: 'bounce', status: '5.1.1' }),
    sendGridEvent('bounce', { ...about, type: 'blocked' }),
    sendGridEvent('spamreport', about),
  ];
  const text = JSON.stringify(events);
  for (let times = 0; times < 2; times++)
    expect((await postToSendGridRoute(service.address, text, key.sign(text))).status).toBe(200);
  await eventually(async () => (await rates())[0]?.complained === 1);
  // The same facts, from other events.
  const again = JSON.stringify([
    sendGridEvent('bounce', { ...about, status: '5.1.1' }),
    sendGridEvent('spamreport', about),
  ]);
  expect((await postToSendGridRoute(service.address, again, key.sign(again))).status).toBe(200);
  await eventually(async () => (await reportsAbout(email.id)) === 6);
  expect(await rates()).toEqual([{ sent: 1, bounced: 1, complained: 1 }]);
});

/** Mail that waits in Postgres: its organization is slowed down so much that no email is dispatched. */
async function waitingMail(): Promise<SendResponse[]> {
  // Together, because the recurring job may evaluate the rates at any moment.
  await service.database.query(
    `with counted as (
       insert into sending_rates (organization_id, hour, domain, sent, bounced)
       values ($1, date_trunc('hour', now() - interval '3 hours', 'UTC'), 'acme.example', 100, 8))
     insert into sending_guards (organization_id, state, reason, paced_until)
     values ($1, 'slowed', 'x', now() + interval '1 hour')`,
    [client.organizationId],
  );
  const responses = [await send(), await send()];
  expect(responses.map(({ status }) => status)).toEqual([202, 202]);
  return responses.map(({ body }) => body);
}

const statusOf = async (of: TestClient, { emailTrackingId }: SendResponse) =>
  (await of.get<EmailDetail>(`/api/emails/${emailTrackingId}`)).body.status;

it('pauses an organization: sends get 403 with the reason, queued mail waits, and a resumption loses nothing', async () => {
  const others = await service.organization();
  const waiting = await waitingMail();
  await count(10, 2);
  await guards.evaluate();
  expect(await stateOf()).toBe('paused');
  const refused = await eventually(async () => {
    const response = await send();
    return response.status === 403 && response;
  });
  expect(refused.body.error).toBe(
    'Sending is paused: 20 % of 10 recipients bounced within the last hour, and the limit is 10 %',
  );
  // Once the feeder has fed the other organization, it has passed the paused one.
  await count(100, 8, 0, others);
  await guards.evaluate();
  const { body } = await send(others);
  await eventually(async () => (await statusOf(others, body)) === 'sent');
  for (const email of waiting) expect(await statusOf(client, email)).toBe('queued');

  expect(await resumeSending(service.database, client.organizationId)).toBe(true);
  await guards.evaluate();
  expect(await stateOf()).toBe('normal');
  expect(await resumeSending(service.database, client.organizationId)).toBe(false);
  for (const email of waiting) await eventually(async () => (await statusOf(client, email)) === 'sent');
  await eventually(async () => (await send()).status === 202);
});

it('takes dispatched mail of a paused organization back, and no worker can claim it meanwhile', async () => {
  await waitingMail();
  await setState('paused');
  const pending = await service.database.query<{ email_id: string }>(
    'update pending_emails set dispatched_at = now() where organization_id = $1 returning email_id',
    [client.organizationId],
  );
  const emailIds = pending.map(({ email_id }) => email_id);
  const tokens = emailIds.map(() => randomUUID());
  expect(
    await CLAIM.run(service.database, {
      emailIds,
      tokens,
      generations: emailIds.map(() => 0),
      providers: emailIds.map(() => ''),
      leaseMs: 30_000,
      checkedTokens: [],
      checkedOrganizations: [],
      checkedKeys: [],
      checkedUnsubscribes: [],
    }),
  ).toEqual([]);
  await guards.evaluate();
  const recalled = await service.database.query(
    'select dispatched_at, generation, attempts from pending_emails where organization_id = $1',
    [client.organizationId],
  );
  expect(recalled).toEqual(emailIds.map(() => ({ dispatched_at: null, generation: 1, attempts: 0 })));
});

it('slows an organization down, and stops that once its rates fall', async () => {
  await count(100, 8);
  await guards.evaluate();
  expect(await stateOf()).toBe('slowed');
  const emails = [await send(), await send(), await send()];
  expect(emails.map(({ status }) => status)).toEqual([202, 202, 202]);
  await eventually(async () => {
    const { body } = await client.get<{ emails: unknown[] }>('/api/emails?status=sent');
    return body.emails.length === 3;
  });
  const [row] = await service.database.query<{ paced: boolean }>(
    'select paced_until is not null as paced from sending_guards where organization_id = $1',
    [client.organizationId],
  );
  expect(row!.paced).toBe(true);
  await recount(0);
  await guards.evaluate();
  expect(await stateOf()).toBe('normal');
});

it('delays no mail of a warned organization, neither new mail nor mail that the slowdown held', async () => {
  const waiting = await waitingMail();
  await recount(6);
  // The time until which the slowdown holds mail stays, and has no effect any more.
  await setState('warned');
  for (const email of waiting) await eventually(async () => (await statusOf(client, email)) === 'sent');
  const { body } = await send();
  await eventually(async () => (await statusOf(client, body)) === 'sent');
  await guards.evaluate();
  expect(await stateOf()).toBe('warned');
  await recount(0);
  await guards.evaluate();
  expect(await stateOf()).toBe('normal');
});

it('ignores organizations that are within the limits, have sent too little, or did so long ago', async () => {
  const [few, old] = [await service.organization(), await service.organization()];
  await count(100, 4);
  await count(2, 2, 0, few);
  await count(100, 90, 24 * 8, old);
  await guards.evaluate();
  expect(await Promise.all([client, few, old].map((one) => stateOf(one)))).toEqual([undefined, undefined, undefined]);
  await count(100, 90, 24 * 6, old);
  await guards.evaluate();
  expect(await stateOf(old)).toBe('paused');
});
