import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { eventually } from '../support/eventually.js';
import type { DeliveryView } from '../../src/webhooks/webhook-delivery-view.js';
import { HOUR, WebhookBench } from './webhook-bench.js';

const PER_MINUTE = 10;

let bench: WebhookBench;
let receiver: WebhookReceiver;

beforeAll(async () => {
  bench = await WebhookBench.start();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  receiver = await WebhookReceiver.listen();
});
afterEach(async () => {
  await bench.removeWebhooks();
  await receiver.stop();
});

/** The state of an endpoint's circuit breaker. */
async function breaker(id: string): Promise<unknown> {
  const [row] = await bench.service.database.query(
    `select failures, failing_since, paused_until, asked_until, enabled from webhook_endpoints where id = $1`,
    [id],
  );
  return row;
}

async function pausedWebhook(): Promise<string> {
  const { id } = await bench.webhook(receiver.url);
  await bench.service.database.query(
    `update webhook_endpoints
        set failures = 7, failing_since = now() - interval '6 days', paused_until = now() + interval '5 minutes',
            asked_until = now() + interval '5 minutes'
      where id = $1`,
    [id],
  );
  return id;
}

const test = (id: string) => bench.client.post<DeliveryView & { error: string }>(`/api/webhooks/${id}/test`);

async function attempted(id: string, deliveryId: string): Promise<DeliveryView> {
  return eventually(async () => {
    const one = (await bench.deliveries(id)).find((delivery) => delivery.id === deliveryId);
    return one?.attemptCount === 1 && one;
  });
}

describe('a test event of a paused endpoint', () => {
  it.each([
    ['a success', respondWith(204), 'delivered'],
    ['a failure', respondWith(500), 'failed'],
    ['a 410', respondWith(410), 'failed'],
    ['a request to wait', respondWith(429, { 'retry-after': '3000' }), 'failed'],
  ])(
    'is attempted once, at once, and %s changes neither the pause nor the failures',
    async (_what, respond, status) => {
      receiver.respond = respond;
      const id = await pausedWebhook();
      const waiting = await bench.write(id, 3);
      const before = await breaker(id);
      const { body } = await test(id);
      expect(Date.parse(body.nextAttemptAt!)).toBeLessThanOrEqual(Date.now() + 1_000);
      expect(await attempted(id, body.id)).toMatchObject({ status, nextAttemptAt: null });
      expect(await breaker(id)).toEqual(before);
      expect(receiver.received.map((request) => request.id)).toEqual([body.id]);
      const others = (await bench.deliveries(id)).filter((one) => waiting.includes(one.id));
      expect(others.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(Array(3).fill(['pending', 0]));
    },
  );

  it('is found by the sweep if no job wakes it', async () => {
    const id = await pausedWebhook();
    const [testId] = await bench.write(id, 1);
    await bench.service.database.query(`update webhook_deliveries set type = 'WEBHOOK_TEST' where id = $1`, [testId]);
    await bench.write(id, 1);
    await bench.run('sweep-webhooks');
    await attempted(id, testId!);
    expect(receiver.received.map((request) => request.id)).toEqual([testId]);
  });

  it('may be retried by hand, without changing the pause', async () => {
    receiver.respond = respondWith(500);
    const id = await pausedWebhook();
    const before = await breaker(id);
    const { body } = await test(id);
    await attempted(id, body.id);
    expect((await bench.client.post(`/api/webhooks/${id}/deliveries/${body.id}/retry`)).status).toBe(200);
    await eventually(() => receiver.received.length === 2);
    expect(await breaker(id)).toEqual(before);
  });
});

it('a failed test event of an active endpoint counts as no failure, and a replay leaves it out', async () => {
  receiver.respond = respondWith(500);
  const { id } = await bench.webhook(receiver.url);
  const { body } = await test(id);
  await attempted(id, body.id);
  expect(await breaker(id)).toMatchObject({ failures: 0, failing_since: null, paused_until: null });
  const since = new Date(Date.now() - HOUR).toISOString();
  expect((await bench.client.post(`/api/webhooks/${id}/replay`, { since })).body).toEqual({ replayed: 0, more: false });
});

describe('the limit of test events', () => {
  it('is 10 a minute for each webhook, retries by hand included: then 429 with Retry-After', async () => {
    const { id } = await bench.webhook(receiver.url);
    const other = await bench.webhook(receiver.url);
    const begun = performance.now();
    const responses = await Promise.all(Array.from({ length: 3 * PER_MINUTE }, () => test(id)));
    const refilled = Math.ceil((performance.now() - begun) / (60_000 / PER_MINUTE));
    const passed = responses.filter(({ status }) => status === 200);
    expect(passed.length).toBeGreaterThanOrEqual(PER_MINUTE);
    expect(passed.length).toBeLessThanOrEqual(PER_MINUTE + refilled);
    const refused = responses.filter(({ status }) => status !== 200);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60 / PER_MINUTE);
      expect(body.error).toBe(`A webhook can be tested 10 times a minute: try again in ${seconds} seconds`);
    }
    expect(await bench.deliveries(id)).toHaveLength(passed.length);
    const retries = await Promise.all(
      Array.from({ length: PER_MINUTE }, () =>
        bench.client.post(`/api/webhooks/${id}/deliveries/${passed[0]!.body.id}/retry`),
      ),
    );
    expect(retries.map(({ status }) => status)).toContain(429);
    expect((await test(other.id)).status).toBe(200);
  });
});
