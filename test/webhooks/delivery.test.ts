import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { HOUR, MINUTE, SECOND, verified, WebhookBench } from './webhook-bench.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;

beforeAll(async () => {
  bench = await WebhookBench.start();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  bench.backToPresent();
  receiver = await WebhookReceiver.listen();
});
afterEach(async () => {
  await bench.removeWebhooks();
  await receiver.stop();
});

it('W01: the reference library of Standard Webhooks verifies the requests', async () => {
  const { secret } = await bench.webhook(receiver.url);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await bench.send();
  const [request] = await bench.arrived(receiver, 1);
  expect(verified(secret, request!)).toMatchObject({
    type: 'EMAIL_SENT',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { to: ['reader@example.com'], subject: 'S', campaign: null, metadata: null, sentAt: expect.any(String) },
  });
  expect(request!.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(() => verified(secret, { ...request!, body: `${request!.body} ` })).toThrow();
  expect(() => verified(`whsec_${Buffer.alloc(32).toString('base64')}`, request!)).toThrow();
});

it('W02, W12: a retry has the same ID and the same bytes, and a new time', async () => {
  const { id, secret } = await bench.webhook(receiver.url);
  receiver.respond = respondWith(500);
  await bench.send();
  await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
  await bench.pass(7 * SECOND);
  await bench.sweep();
  await bench.pass(6 * MINUTE);
  await bench.sweep();
  const [first, second, third] = await bench.arrived(receiver, 3);
  expect(new Set(receiver.received.map((request) => request.id)).size).toBe(1);
  expect([second!.body, third!.body]).toEqual([first!.body, first!.body]);
  const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(7);
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(360);
  verified(secret, first!);
});

describe('W04: only 2xx is success', () => {
  it.each([200, 201, 204, 299])('%i counts as delivered', async (status) => {
    receiver.respond = respondWith(status);
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    const delivery = await bench.delivery(id, (one) => one.status === 'delivered');
    expect(delivery).toMatchObject({ attemptCount: 1, nextAttemptAt: null, attempts: [{ status, error: null }] });
  });

  it.each([301, 302, 307, 308])('%i is a failure, and redirects are not followed', async (status) => {
    const elsewhere = await WebhookReceiver.listen();
    receiver.respond = respondWith(status, { location: elsewhere.url });
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    const delivery = await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
    expect(delivery).toMatchObject({
      status: 'pending',
      attempts: [{ status, error: `The receiver responded with ${status}; redirects are not followed` }],
    });
    expect(elsewhere.connections).toBe(0);
    await elsewhere.stop();
  });

  it.each([400, 404, 429, 500, 503])('%i is retried', async (status) => {
    receiver.respond = respondWith(status, {}, 'No.');
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    const delivery = await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status, answer: 'No.' }] });
    receiver.respond = respondWith(204);
    await bench.pass(7 * SECOND);
    await bench.sweep();
    await bench.delivery(id, (one) => one.status === 'delivered');
  });

  it('410 disables the webhook', async () => {
    receiver.respond = respondWith(410);
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    const delivery = await bench.delivery(id, (one) => one.status === 'failed');
    expect(delivery).toMatchObject({ attemptCount: 1, nextAttemptAt: null });
    expect(await bench.read(id)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    await bench.send();
    expect(await bench.deliveries(id)).toHaveLength(1);
  });
});

describe('W05: Retry-After', () => {
  const waitAfter = async (header: string): Promise<number> => {
    receiver.respond = respondWith(429, { 'retry-after': header });
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    const { nextAttemptAt } = await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
    return Date.parse(nextAttemptAt!) - Date.now();
  };

  it('delays the retry for the requested time', async () => {
    const wait = await waitAfter('120');
    expect(wait).toBeGreaterThan(110 * SECOND);
    expect(wait).toBeLessThanOrEqual(120 * SECOND);
    await bench.pass(100 * SECOND);
    await bench.sweep();
    expect(receiver.received).toHaveLength(1);
    receiver.respond = respondWith(204);
    await bench.pass(20 * SECOND);
    await bench.sweep();
    expect(receiver.received).toHaveLength(2);
  });

  it('never causes an earlier retry', async () => expect(await waitAfter('0')).toBeGreaterThan(4 * SECOND));

  it('is honored for a day at most', async () => {
    const wait = await waitAfter('99999999');
    expect(wait).toBeGreaterThan(23.9 * HOUR);
    expect(wait).toBeLessThanOrEqual(24 * HOUR);
  });
});

it('W08: both secrets sign for 24 hours after a rotation, then only the new one does', async () => {
  const before = await bench.webhook(receiver.url);
  const { body: after } = await bench.client.post<typeof before>(`/api/webhooks/${before.id}/rotate-secret`);
  expect(after.secret).not.toBe(before.secret);
  await bench.send();
  const [during] = await bench.arrived(receiver, 1);
  expect(during!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
  verified(before.secret, during!);
  verified(after.secret, during!);
  await bench.service.database.query(
    `update webhook_endpoints set previous_secret_until = previous_secret_until - interval '24 hours'`,
  );
  await bench.send();
  const [, later] = await bench.arrived(receiver, 2);
  verified(after.secret, later!);
  expect(() => verified(before.secret, later!)).toThrow();
});
