import { eventually } from '../../support/eventually.js';
import { LiveEvents } from '../../support/live-events.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../../support/service.js';

let service: TestService;
let client: TestClient;
const open: LiveEvents[] = [];

beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
});
beforeEach(async () => {
  client = await service.organization();
});
afterEach(() => {
  for (const live of open.splice(0)) live.close();
});
afterAll(() => service?.stop());

async function follow(apiKey = client.apiKey, lastEventId?: string, of = service): Promise<LiveEvents> {
  const live = await LiveEvents.follow(of, apiKey, lastEventId);
  open.push(live);
  return live;
}

interface Sent {
  emailTrackingId: string;
  pixelUrl: string;
  links: { trackingUrl: string }[];
}

const EMAIL = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', campaignId: 'Spring' };

async function send(by = client): Promise<Sent & { id: string }> {
  const htmlContent = '<a href="https://example.com/">x</a>';
  const { body } = await by.post<Sent>('/api/send', { ...EMAIL, htmlContent });
  const { body: email } = await by.get<{ id: string }>(`/api/emails/${body.emailTrackingId}`);
  return { ...body, id: email.id };
}

describe('GET /api/live', () => {
  it('reports an email from its acceptance to its click, with IDs only', async () => {
    const live = await follow();
    expect(live.status).toBe(200);
    expect(live.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const { id, pixelUrl, links } = await send();
    await service.track(pixelUrl);
    await service.track(links[0]!.trackingUrl);
    const campaignId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    for (const type of ['email.accepted', 'email.sent', 'email.opened', 'email.clicked']) {
      const { event, data } = await live.find(type, id);
      expect([event, data]).toEqual(['message', { type, emailId: id, campaignId, at: expect.any(String) }]);
    }
  });

  it('reports that emails fail, are scheduled, rescheduled and canceled, and that recipients bounce', async () => {
    const live = await follow();
    service.mailServer.scripts.add('refused@example.com', { phase: 'rcpt', reply: '550 5.1.1 no such user' });
    await client.post('/api/send', { ...EMAIL, to: 'refused@example.com', htmlContent: 'x' });
    await live.find('email.failed');
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await client.post<Sent>('/api/send', { ...EMAIL, htmlContent: 'x', sendAt });
    await client.patch(`/api/emails/${body.emailTrackingId}`, {
      sendAt: new Date(Date.now() + 7_200_000).toISOString(),
    });
    await client.post(`/api/emails/${body.emailTrackingId}/cancel`);
    for (const type of ['email.rescheduled', 'email.canceled']) await live.find(type);
  });

  it('reports that a broadcast has changed and that a webhook fails', async () => {
    const live = await follow();
    const { body: webhook } = await client.post('/api/webhooks', { url: 'https://nowhere.invalid/hook' });
    await client.post(`/api/webhooks/${String(webhook.id)}/test`);
    expect((await live.find('webhook.failed')).data).toMatchObject({ webhookId: webhook.id });
    const draft = { name: 'Sale', from: EMAIL.from, subject: 'S', htmlContent: '<p>{{ unsubscribe_url }}</p>' };
    const { body: broadcast } = await client.post('/api/broadcasts', draft);
    await client.post(`/api/broadcasts/${String(broadcast.id)}/recipients`, { recipients: [{ to: EMAIL.to }] });
    await client.post(`/api/broadcasts/${String(broadcast.id)}/send`);
    expect((await live.find('broadcast.changed')).data).toMatchObject({ broadcastId: broadcast.id });
  });

  it('keeps organizations apart', async () => {
    const otherClient = await service.organization();
    const [own, others] = [await follow(), await follow(otherClient.apiKey)];
    const email = await send();
    await own.find('email.sent', email.id);
    const other = await send(otherClient);
    await others.find('email.sent', other.id);
    expect(JSON.stringify(others.events)).not.toContain(email.id);
    expect(JSON.stringify(own.events)).not.toContain(other.id);
  });

  it('continues after the last event that the client has, even in another process', async () => {
    const before = await follow();
    await send().then(({ id }) => before.find('email.sent', id));
    const lastId = before.lastId!;
    before.close();
    const missed = await send();
    const beside = await TestService.start({ beside: service, environment: { ROLES: 'api' } });
    try {
      const after = await follow(client.apiKey, lastId, beside);
      await after.find('email.sent', missed.id);
      expect(after.types).not.toContain('refresh');
      expect(after.types.filter((type) => type === 'email.accepted')).toHaveLength(1);
    } finally {
      await beside.stop();
    }
  });

  it.each(['1-1', '99999999999999-0', 'nonsense'])(
    'sends `refresh` to a client that reconnects with %s',
    async (id) => {
      const live = await follow(client.apiKey, id);
      expect(live.events[0]).toMatchObject({ event: 'refresh', data: { type: 'refresh' } });
      expect(live.lastId).toMatch(/^\d+-\d+$/);
    },
  );

  it('sends `refresh` if the client missed more events than it would read', async () => {
    const live = await follow();
    const emails = Array.from({ length: 60 }, () => ({ ...EMAIL, htmlContent: 'x' }));
    await client.post('/api/send/batch', { emails });
    await live.find('refresh');
  });

  it('refuses wrong keys, and keys without the scope', async () => {
    const wrong = await LiveEvents.open(service, { 'x-api-key': 'mb_wrong' });
    const { body } = await client.post('/api/keys', { name: 'Sender', scopes: ['send'] });
    const sender = await LiveEvents.open(service, { 'x-api-key': String(body.key) });
    expect([wrong.status, sender.status]).toEqual([401, 403]);
  });

  it('ends when its key is revoked', async () => {
    const { body } = await client.post('/api/keys', { name: 'Screen', scopes: ['read'] });
    const [other, live] = [await follow(), await follow(String(body.key))];
    await client.delete(`/api/keys/${String(body.id)}`);
    await eventually(() => live.hasEnded);
    expect(other.hasEnded).toBe(false);
  });

  it('is counted while it is open', async () => {
    const value = async (): Promise<number> => {
      const text = await (await fetch(`${service.operatorAddress}/metrics`)).text();
      return Number(/^mailbeacon_live_connections (\d+)$/m.exec(text)![1]);
    };
    await eventually(async () => (await value()) === 0);
    const live = await follow();
    expect(await value()).toBe(1);
    live.close();
    await eventually(async () => (await value()) === 0);
  });
});
