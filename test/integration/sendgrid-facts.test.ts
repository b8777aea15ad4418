import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';
import { EventWebhookKey, postToSendGridRoute, sendGridEvent } from '../support/sendgrid-calls.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const key = new EventWebhookKey();
let sendGrid: SendGridStub;
let receiver: WebhookReceiver;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  [sendGrid, receiver] = await Promise.all([SendGridStub.listen(), WebhookReceiver.listen()]);
  service = await TestService.start({
    environment: {
      ...throughSendGrid(sendGrid),
      SENDGRID_EVENT_PUBLIC_KEY: key.publicKey,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      SOFT_BOUNCE_LIMIT: '2',
    },
  });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await receiver?.stop();
  await sendGrid?.close();
});

interface Sent {
  readonly response: SendResponse;
  /** Posts one event about the recipient. @param seconds after the event before */
  readonly report: (type: string, more?: object) => Promise<void>;
}

let seconds = Math.floor(Date.now() / 1000);

async function send(to: string): Promise<Sent> {
  const email = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>', campaignId: 'Spring' };
  const { response, message } = await sendMessage(client, sendGrid, { ...email, to });
  const args = message.body.custom_args;
  const report = async (type: string, more: object = {}): Promise<void> => {
    seconds += 1;
    const text = JSON.stringify([sendGridEvent(type, { ...args, email: to, timestamp: seconds, ...more })]);
    expect(await postToSendGridRoute(service.address, text, key.sign(text))).toMatchObject({
      status: 200,
      body: { stored: 1 },
    });
  };
  return { response, report };
}

const detail = async ({ response }: Sent): Promise<EmailDetail> =>
  (await client.get<EmailDetail>(`/api/emails/${response.emailTrackingId}`)).body;

/** Resolves once the timeline has this many entries of a type. */
async function stored({ response }: Sent, type: string, count = 1): Promise<void> {
  await eventually(async () => {
    const { body } = await client.get<{ timeline: { type: string }[] }>(
      `/api/emails/${response.emailTrackingId}/timeline`,
    );
    return body.timeline.filter((entry) => entry.type === type).length === count;
  });
}

async function suppressions(): Promise<object[]> {
  const { body } = await client.get<{ suppressions: { address: string; reason: string; scope: string }[] }>(
    '/api/suppressions',
  );
  return body.suppressions.map(({ address, reason, scope }) => ({ address, reason, scope }));
}

async function stats(): Promise<CampaignDetail['stats']> {
  const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
  return (await client.get<CampaignDetail>(`/api/campaigns/${body.campaigns[0]!.id}`)).body.stats;
}

/** The webhooks posted about an email: the deliveries are stored together with their facts. */
async function posted({ response }: Sent, count: number): Promise<object[]> {
  const [row] = await service.database.query<{ count: number }>(
    `select count(*)::int as count from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where w.organization_id = $1`,
    [client.organizationId],
  );
  expect(row!.count).toBe(count);
  return eventually(() => {
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: SentData });
    const ours = bodies.filter(({ data }) => data.emailTrackingId === response.emailTrackingId);
    return ours.length === count && ours.map(({ type, data: { recipient, reason } }) => ({ type, recipient, reason }));
  });
}

interface SentData {
  readonly emailTrackingId: string;
  readonly recipient: string;
  readonly reason: string | null;
}

const listen = () =>
  client.post('/api/webhooks', {
    url: receiver.url,
    events: ['EMAIL_SUPPRESSED', 'EMAIL_UNSUBSCRIBED', 'EMAIL_RESUBSCRIBED', 'EMAIL_BOUNCED', 'EMAIL_DELIVERED'],
  });

describe('dropped by SendGrid', () => {
  it.each([
    ['Bounced Address', 'bounce', 'all'],
    ['Spam Reporting Address', 'complaint', 'all'],
    ['Unsubscribed Address', 'unsubscribe', 'marketing'],
    ['Invalid', 'bounce', 'all'],
  ])('because of `%s`: the recipient is suppressed, with the reason %s', async (reason, entry, scope) => {
    await listen();
    const to = 'Dropped@example.com';
    const sent = await send(to);
    await sent.report('dropped', { reason });
    await stored(sent, 'suppressed');
    const { recipients, status } = await detail(sent);
    expect(status).toBe('sent');
    expect(recipients).toMatchObject([{ address: to, state: 'suppressed', reason }]);
    expect(await suppressions()).toEqual([{ address: to, reason: entry, scope }]);
    expect(await stats()).toMatchObject({ suppressed: 1, bounced: 0, complained: 0, unsubscribed: 0 });
    expect(await posted(sent, 1)).toEqual([{ type: 'EMAIL_SUPPRESSED', recipient: to, reason }]);
  });

  it('for any other reason: the recipient is failed, no address is suppressed and no webhook is sent', async () => {
    await listen();
    const sent = await send('dropped@example.com');
    await sent.report('dropped', { reason: 'Spam Content (if Spam Checker app enabled)' });
    await stored(sent, 'failed');
    expect((await detail(sent)).recipients).toMatchObject([
      { state: 'failed', reason: 'Spam Content (if Spam Checker app enabled)' },
    ]);
    expect(await suppressions()).toEqual([]);
    expect(await stats()).toMatchObject({ suppressed: 0 });
    expect(await posted(sent, 0)).toEqual([]);
  });
});

it('a group_unsubscribe suppresses marketing mail, and a group_resubscribe ends that', async () => {
  await listen();
  const to = 'reader@example.com';
  const sent = await send(to);
  await sent.report('group_unsubscribe', { asm_group_id: 7 });
  await stored(sent, 'unsubscribed');
  expect(await suppressions()).toEqual([{ address: to, reason: 'unsubscribe', scope: 'marketing' }]);
  expect((await detail(sent)).recipients).toMatchObject([{ state: 'sent' }]);
  expect(await stats()).toMatchObject({ unsubscribed: 1 });
  await sent.report('group_resubscribe', { asm_group_id: 7 });
  await stored(sent, 'resubscribed');
  expect(await suppressions()).toEqual([]);
  expect((await detail(sent)).recipients).toMatchObject([{ state: 'sent' }]);
  expect(await stats()).toMatchObject({ unsubscribed: 0 });
  expect(await posted(sent, 2)).toEqual(
    expect.arrayContaining([
      { type: 'EMAIL_UNSUBSCRIBED', recipient: to, reason: null },
      { type: 'EMAIL_RESUBSCRIBED', recipient: to, reason: null },
    ]),
  );
});

it('SOFT_BOUNCE_LIMIT soft bounces in a row suppress an address', async () => {
  const to = 'full@example.com';
  const sent = await send(to);
  const bounce = (): Promise<void> => sent.report('bounce', { type: 'blocked', status: '4.2.2' });
  await bounce();
  await sent.report('delivered');
  await bounce();
  await stored(sent, 'bounced', 2);
  expect(await suppressions()).toEqual([]);
  await bounce();
  await stored(sent, 'bounced', 3);
  expect(await suppressions()).toEqual([{ address: to, reason: 'bounce', scope: 'all' }]);
});
