import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { eventually } from '../support/eventually.js';
import { HOUR, SECOND, verified, WebhookBench } from './webhook-bench.js';

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

describe('W10: the log of deliveries', () => {
  it('has attempts with status, duration and the start of the response, and retries by hand', async () => {
    // Asks to wait, so that there is one attempt until the retry.
    receiver.respond = respondWith(500, { 'retry-after': '3600' }, `é${'x'.repeat(8_000)}`);
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    const failed = await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
    expect(failed).toMatchObject({ type: 'EMAIL_SENT', status: 'pending', finishedAt: null });
    const [attempt] = failed.attempts;
    expect(attempt).toMatchObject({ number: 1, status: 500, error: 'The receiver responded with 500' });
    expect(Buffer.byteLength(attempt!.answer!)).toBe(256);
    expect(Date.parse(failed.nextAttemptAt!)).toBeGreaterThan(Date.now());
    receiver.respond = respondWith(200, {}, 'thanks');
    const retried = await bench.client.post(`/api/webhooks/${id}/deliveries/${failed.id}/retry`);
    expect(retried.status).toBe(200);
    const delivered = await bench.delivery(id, (one) => one.status === 'delivered');
    expect(delivered.attempts.map(({ number, status, answer }) => [number, status, answer?.slice(0, 6)])).toEqual([
      [2, 200, 'thanks'],
      [1, 500, 'éxxxxx'],
    ]);
    expect(delivered.finishedAt).not.toBeNull();
    await bench.client.post(`/api/webhooks/${id}/deliveries/${failed.id}/retry`);
    await bench.delivery(id, (one) => one.status === 'delivered' && one.attemptCount === 3);
    expect(new Set(receiver.received.map((request) => request.id)).size).toBe(1);
    const { body: read } = await bench.client.get<{ body: string }>(`/api/webhooks/${id}/deliveries/${failed.id}`);
    expect(read).toMatchObject({ id: failed.id, status: 'delivered', body: receiver.received[0]!.body });
  });

  it('replays what the receiver missed since a time, under the same IDs', async () => {
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    await bench.arrived(receiver, 1);
    receiver.respond = respondWith(500);
    await bench.send(3);
    await eventually(async () => (await bench.deliveries(id)).filter((one) => one.attemptCount > 0).length === 4);
    const missed = new Set(receiver.received.slice(1).map((request) => request.id));
    await bench.service.database.query(`update webhook_deliveries set status = 'failed' where id = $1`, [
      [...missed][0],
    ]);
    receiver.respond = respondWith(204);
    const late = new Date(Date.now() + HOUR).toISOString();
    const replay = (since: string) => bench.client.post(`/api/webhooks/${id}/replay`, { since });
    expect((await replay(late)).body).toEqual({ replayed: 0, more: false });
    const before = receiver.received.length;
    const past = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
    expect((await bench.client.post(`/api/webhooks/${id}/replay`, past)).body).toEqual({ replayed: 0, more: false });
    const reversed = await bench.client.post(`/api/webhooks/${id}/replay`, { ...past, since: past.until });
    expect(reversed).toMatchObject({ status: 400, body: { details: [{ field: 'until' }] } });
    expect((await replay(new Date(Date.now() - HOUR).toISOString())).body).toEqual({ replayed: 3, more: false });
    await eventually(async () => (await bench.deliveries(id)).every((one) => one.status === 'delivered'));
    expect(new Set(receiver.received.slice(before).map((request) => request.id))).toEqual(missed);
  });

  it.each(['yesterday', '2026-13-45T00:00:00Z', '2026-02-31T00:00:00Z', '2026-03-01'])(
    'refuses to replay since %s',
    async (since) => {
      const { id } = await bench.webhook(receiver.url);
      const response = await bench.client.post(`/api/webhooks/${id}/replay`, { since });
      expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'since' }] } });
    },
  );
});

describe('a test event', () => {
  it('reaches a webhook with any subscriptions', async () => {
    const { id, secret } = await bench.webhook(receiver.url, ['EMAIL_FAILED']);
    const { body: delivery } = await bench.client.post<{ id: string }>(`/api/webhooks/${id}/test`);
    const [request] = await bench.arrived(receiver, 1);
    expect(request!.id).toBe(delivery.id);
    expect(verified(secret, request!)).toMatchObject({ type: 'WEBHOOK_TEST', data: { webhookId: id } });
  });
});

describe('a disabled webhook', () => {
  it('keeps pending deliveries, gets no new ones, and receives the pending ones when it is enabled', async () => {
    receiver.respond = respondWith(500);
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
    expect((await bench.patch(id, { enabled: false })).body).toMatchObject({
      enabled: false,
      disabledReason: 'requested',
    });
    await bench.send();
    await bench.pass(10 * SECOND);
    await bench.sweep();
    expect(receiver.received).toHaveLength(1);
    for (const action of ['test', 'replay']) {
      const response = await bench.client.post(`/api/webhooks/${id}/${action}`, { since: new Date().toISOString() });
      expect(response).toMatchObject({ status: 409, body: { error: 'The webhook is disabled: enable it first' } });
    }
    receiver.respond = respondWith(204);
    expect((await bench.patch(id, { enabled: true })).body).toMatchObject({ enabled: true, disabledReason: null });
    await bench.sweep();
    expect(await bench.deliveries(id)).toMatchObject([{ status: 'delivered' }]);
    expect(receiver.received).toHaveLength(2);
  });

  it('gets no more requests once it is deleted, and its rows are deleted', async () => {
    receiver.respond = respondWith(500);
    const { id } = await bench.webhook(receiver.url);
    await bench.send();
    await bench.delivery(id, ({ attemptCount }) => attemptCount === 1);
    expect((await bench.client.delete(`/api/webhooks/${id}`)).status).toBe(204);
    expect((await bench.client.get(`/api/webhooks/${id}`)).status).toBe(404);
    await bench.pass(2 * HOUR);
    await bench.sweep();
    expect(receiver.received).toHaveLength(1);
    await bench.run('forget-webhook-deliveries');
    await eventually(async () => {
      const rows = await bench.service.database.query('select id from webhook_endpoints where id = $1', [id]);
      return rows.length === 0;
    });
  });
});
