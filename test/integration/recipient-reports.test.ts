import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { ContactDetail, ContactView } from '../../src/contacts/contact-views.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { RecipientEvent } from '../../src/events/recipient-event.js';
import { appendEntry } from '../../src/events/stream/append-entry.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { connectForBlocking, type RedisConnection } from '../../src/platform/redis/connect.js';
import { RECIPIENT_WEBHOOK_EVENTS } from '../../src/webhooks/webhook-events.js';
import { reportOf } from '../emails/recipients/reported-mail.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookBench } from '../webhooks/webhook-bench.js';
import { sendMessage } from '../support/sent-message.js';
import { AWAIT_RESULT } from '../support/service.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;
let redis: RedisConnection;

beforeAll(async () => {
  bench = await WebhookBench.start({ environment: AWAIT_RESULT });
  receiver = await WebhookReceiver.listen();
  redis = connectForBlocking(bench.service.settings.REDIS_URL);
  await eventually(() => redis.status === 'ready');
  await bench.webhook(receiver.url, [...RECIPIENT_WEBHOOK_EVENTS]);
});
afterAll(async () => {
  redis?.disconnect();
  await receiver?.stop();
  await bench?.stop();
});

const ANN = 'ann@example.com';
const BOB = 'Bob@example.com';

async function send(campaignId: string, to = [ANN], cc: string[] = []): Promise<EmailDetail> {
  const message = { from: 'a@acme.example', subject: 'Hello', htmlContent: '<p>Hi</p>', campaignId };
  const { response } = await sendMessage(bench.client, bench.service.mailServer, { ...message, to, cc });
  return read(response.emailTrackingId);
}

async function read(id: string): Promise<EmailDetail> {
  return (await bench.client.get<EmailDetail>(`/api/emails/${id}`)).body;
}

const append = (...events: RecipientEvent[]) => appendEntry(redis, packEntry(events.map(encodeEvent)));

async function reported(id: string, ...states: string[]): Promise<EmailDetail> {
  return eventually(async () => {
    const email = await read(id);
    return email.recipients.map(({ state }) => state).join() === states.join() && email;
  });
}

describe('GET /api/emails/:id', () => {
  it('shows the state of every recipient', async () => {
    const email = await send('States', [ANN], [BOB]);
    expect(email.recipients).toEqual([
      { address: ANN, kind: 'to', state: 'sent', reason: null, smtpStatus: null, updatedAt: email.sentAt },
      { address: BOB, kind: 'cc', state: 'sent', reason: null, smtpStatus: null, updatedAt: email.sentAt },
    ]);
    const at = Date.now() + 1_000;
    const words = { smtpStatus: '5.1.1', reason: '550 5.1.1 No such user' };
    await append(
      reportOf(email.id, 0, 'bounced', { bounce: 'hard', at, ...words }),
      reportOf(email.trackingId, BOB.toLowerCase(), 'delivered', { at }),
    );
    const { recipients, status } = await reported(email.id, 'bounced', 'delivered');
    const updatedAt = new Date(at).toISOString();
    expect(recipients[0]).toEqual({ address: ANN, kind: 'to', state: 'bounced', ...words, updatedAt });
    expect(recipients[1]).toMatchObject({ address: BOB, state: 'delivered', reason: null, updatedAt });
    expect(status).toBe('sent');
  });

  it('shows the recipients of a failed email as failed, with its reason', async () => {
    bench.service.mailServer.scripts.add('nobody@example.com', { phase: 'rcpt', reply: '554 5.7.1 Not here' });
    const { status } = await bench.client.post('/api/send', {
      ...{ from: 'a@acme.example', to: 'nobody@example.com', subject: 'S', htmlContent: '<p>x</p>' },
    });
    expect(status).toBe(500);
    const list = await bench.client.get<{ emails: EmailSummary[] }>('/api/emails?status=failed');
    const { recipients, failedAt } = await read(list.body.emails[0]!.id);
    expect(recipients).toEqual([
      expect.objectContaining({ address: 'nobody@example.com', state: 'failed', updatedAt: failedAt }),
    ]);
    expect(recipients[0]!.reason).toContain('Not here');
  });
});

it('campaigns count recipients that ever reached a fact; contacts count their bounces and complaints', async () => {
  const [first, second] = [await send('Counts', ['carl@example.com']), await send('Counts', ['dora@example.com'])];
  await append(
    reportOf(first.id, 0, 'deferred'),
    reportOf(first.id, 0, 'delivered'),
    reportOf(first.id, 0, 'complained'),
    reportOf(second.id, 0, 'bounced', { bounce: 'soft' }),
    reportOf(second.id, 0, 'unsubscribed'),
  );
  await reported(first.id, 'complained');
  await reported(second.id, 'bounced');
  const { body: campaigns } = await bench.client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
  const { id } = campaigns.campaigns.find(({ name }) => name === 'Counts')!;
  const { body } = await bench.client.get<CampaignDetail>(`/api/campaigns/${id}`);
  expect(body.stats).toMatchObject({
    ...{ totalEmails: 2, delivered: 1, deferred: 1, bounced: 1, complained: 1, unsubscribed: 1, suppressed: 0 },
  });
  const carl = (await bench.client.get<ContactDetail>('/api/contacts/carl@example.com')).body;
  expect(carl).toMatchObject({ status: 'complained', bounces: 0, complaints: 1 });
  for (const path of ['/api/contacts', '/api/contacts?search=dora']) {
    const dora = (await bench.client.get<ContactView[]>(path)).body.find(({ email }) => email === 'dora@example.com');
    expect(dora).toMatchObject({ status: 'unsubscribed', bounces: 1, complaints: 0 });
  }
});

it('contacts do not count bounces of copies, whether they were contacts before or became so later', async () => {
  const [erin, finn] = ['erin@example.com', 'finn@example.com'];
  const copied = await send('Copies', ['gina@example.com'], [erin, finn]);
  await send('Copies', [erin]);
  await append(...[0, 1, 2].map((place) => reportOf(copied.id, place, 'bounced', { bounce: 'soft' })));
  await reported(copied.id, 'bounced', 'bounced', 'bounced');
  await send('Copies', [finn]);
  for (const [address, bounces] of [['gina@example.com', 1] as const, [erin, 0] as const, [finn, 0] as const]) {
    const { body } = await bench.client.get<ContactDetail>(`/api/contacts/${address}`);
    expect(body).toMatchObject({ totalEmails: 1, bounces });
  }
});

it('webhooks get one event per change of a state, with recipient, reason, smtpStatus and bounce', async () => {
  const email = await send('Webhooks', ['eve@example.com']);
  const before = receiver.received.length;
  const soft = reportOf(email.id, 0, 'bounced', { bounce: 'soft', smtpStatus: '4.2.2', reason: '452 4.2.2 Full' });
  await append(reportOf(email.id, 0, 'delivered'), soft, soft, reportOf(email.id, 0, 'deferred'));
  await append(reportOf(email.id, 0, 'unsubscribed'), reportOf(email.id, 0, 'resubscribed', { at: Date.now() + 5 }));
  const bodies = await eventually(() => {
    const received = receiver.received.slice(before).map(({ body }) => JSON.parse(body) as SentBody);
    return received.length >= 4 && received;
  });
  expect(bodies.map(({ type }) => type).sort()).toEqual([
    ...['EMAIL_BOUNCED', 'EMAIL_DELIVERED', 'EMAIL_RESUBSCRIBED', 'EMAIL_UNSUBSCRIBED'],
  ]);
  expect(bodies.find(({ type }) => type === 'EMAIL_BOUNCED')!.data).toEqual({
    ...{ id: email.id, emailTrackingId: email.trackingId, from: email.from, to: ['eve@example.com'], subject: 'Hello' },
    ...{ campaign: 'Webhooks', metadata: null, occurredAt: expect.any(String) },
    ...{ recipient: 'eve@example.com', reason: '452 4.2.2 Full', smtpStatus: '4.2.2', bounce: 'soft' },
  });
});

interface SentBody {
  readonly type: string;
  readonly data: Record<string, unknown>;
}
