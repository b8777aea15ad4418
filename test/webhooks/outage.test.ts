import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { DAY, HOUR, MINUTE, SECOND, WebhookBench } from './webhook-bench.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;

beforeEach(async () => {
  bench = await WebhookBench.start();
  receiver = await WebhookReceiver.listen();
});
afterEach(async () => {
  await bench?.stop();
  await receiver.stop();
});

it('W03, F26: a receiver that is down for 24 hours gets every event, each under one ID, and others get theirs meanwhile', async () => {
  const other = await WebhookReceiver.listen();
  const { id } = await bench.webhook(receiver.url);
  await bench.webhook(other.url);
  receiver.goDown();
  for (let hour = 0; hour < 24; hour++) {
    await bench.send();
    for (let part = 0; part < 4; part++) {
      await bench.pass(15 * MINUTE);
      await bench.sweep();
    }
    expect(other.received).toHaveLength(hour + 1);
  }
  const waiting = await bench.deliveries(id);
  expect(waiting.map(({ status }) => status)).toEqual(Array(24).fill('pending'));
  expect(waiting.every((one) => one.attempts.every(({ status, error }) => status === null && error !== null))).toBe(
    true,
  );
  // While the receiver is down it is only probed, so most deliveries wait without attempts.
  expect(Math.max(...waiting.map(({ attemptCount }) => attemptCount))).toBeLessThanOrEqual(8);
  expect(await bench.read(id)).toMatchObject({ enabled: true, failingSince: expect.any(String) });

  receiver.comeBack();
  await bench.pass(20 * HOUR);
  await bench.sweep();
  const delivered = await bench.deliveries(id);
  expect(delivered.map(({ status }) => status)).toEqual(Array(24).fill('delivered'));
  expect(new Set(receiver.received.map((request) => request.id))).toEqual(new Set(delivered.map((one) => one.id)));
  expect(receiver.received).toHaveLength(24);
  expect(await bench.read(id)).toMatchObject({ failingSince: null });
  await other.stop();
});

it('retries for three days by the schedule, then gives up; the delivery can be retried by hand', async () => {
  receiver.respond = respondWith(500);
  const { id } = await bench.webhook(receiver.url);
  await bench.send();
  await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
  const waits = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
  for (const [index, wait] of waits.entries()) {
    const [delivery] = await bench.deliveries(id);
    const left = Date.parse(delivery!.nextAttemptAt!) - Date.now();
    expect(left).toBeGreaterThan(wait - 2 * SECOND);
    expect(left).toBeLessThanOrEqual(wait * 1.2);
    await bench.pass(left + SECOND);
    await bench.sweep();
    expect(receiver.received).toHaveLength(index + 2);
  }
  expect(await bench.deliveries(id)).toMatchObject([{ status: 'failed', attemptCount: 10, nextAttemptAt: null }]);
  await bench.client.post(`/api/webhooks/${id}/replay`, { since: new Date(Date.now() - 10 * DAY).toISOString() });
  const again = await bench.delivery(id, ({ attemptCount }) => attemptCount === 11);
  expect(again).toMatchObject({ status: 'pending', finishedAt: null });
});

describe('W11', () => {
  it('five days of failures only disable a webhook', async () => {
    receiver.respond = respondWith(500);
    const { id } = await bench.webhook(receiver.url);
    for (let day = 0; day < 5; day++) {
      await bench.send();
      await bench.sweep();
      expect(await bench.read(id)).toMatchObject({ enabled: true });
      await bench.pass(DAY);
    }
    await bench.sweep();
    expect(await bench.read(id)).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
      disabledAt: expect.any(String),
    });
    const calls = receiver.received.length;
    await bench.send();
    await bench.pass(DAY);
    await bench.sweep();
    expect(receiver.received).toHaveLength(calls);
  });

  it('occasional failures do not', async () => {
    const { id } = await bench.webhook(receiver.url);
    for (let day = 0; day < 8; day++) {
      receiver.respond = respondWith(500);
      await bench.send(4);
      await bench.pass(HOUR);
      await bench.sweep();
      receiver.respond = respondWith(204);
      await bench.pass(23 * HOUR);
      await bench.sweep();
    }
    expect(await bench.read(id)).toMatchObject({ enabled: true, failingSince: null });
    expect((await bench.deliveries(id)).every(({ status }) => status === 'delivered')).toBe(true);
  });
});

it('finds due deliveries although Redis has lost every job', async () => {
  receiver.respond = respondWith(500);
  const { id } = await bench.webhook(receiver.url);
  await bench.send();
  await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
  await bench.service.forgetRedis();
  receiver.respond = respondWith(204);
  await bench.pass(10 * SECOND);
  await bench.delivery(id, ({ status }) => status === 'delivered', 45_000);
});

it('releases a delivery whose worker died to another one when its lease expires', async () => {
  const endpoint = await bench.endpoint(receiver.url);
  const id = await bench.writeLeased(endpoint, 25);
  await bench.run('sweep-webhooks');
  await bench.pass(30 * SECOND);
  await bench.sweep();
  expect(receiver.received.map((request) => request.id)).toEqual([id]);
});
