import type { WebhookWithSecret } from '../../src/webhooks/webhook-view.js';
import { eventually } from '../support/eventually.js';
import { WebhookBench } from './webhook-bench.js';

let bench: WebhookBench;

beforeAll(async () => {
  bench = await WebhookBench.start();
});
afterAll(() => bench?.stop());

describe('secrets', () => {
  it('can be replaced once in 24 hours, and the old one is deleted after that', async () => {
    const { body: webhook } = await bench.client.post<WebhookWithSecret>('/api/webhooks', {
      url: 'https://hooks.example.com/',
    });
    const rotate = () => bench.client.post<{ error: string }>(`/api/webhooks/${webhook.id}/rotate-secret`);
    expect((await rotate()).status).toBe(200);
    expect(await rotate()).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^The secret was replaced less than 24 hours ago, and both sign until 2/) },
    });
    await bench.service.database.query(
      `update webhook_endpoints set previous_secret_until = now() - interval '1 s' where id = $1`,
      [webhook.id],
    );
    await bench.run('forget-webhook-deliveries');
    await eventually(async () => {
      const [row] = await bench.service.database.query<{ secret: string | null }>(
        'select sealed_previous_secret as secret from webhook_endpoints where id = $1',
        [webhook.id],
      );
      return row!.secret === null;
    });
    expect((await rotate()).status).toBe(200);
    await bench.client.delete(`/api/webhooks/${webhook.id}`);
  });

  it.each([
    ['that has none', null],
    ['whose secret was sealed under a key that is lost', 'v1.lost.AAAA'],
  ])('can be provided to a webhook %s', async (_kind, sealed) => {
    const { body: webhook } = await bench.client.post<WebhookWithSecret>('/api/webhooks', {
      url: 'https://hooks.example.com/',
    });
    const { database } = bench.service;
    await database.query('update webhook_endpoints set sealed_secret = $2 where id = $1', [webhook.id, sealed]);
    const rotated = await bench.client.post<WebhookWithSecret>(`/api/webhooks/${webhook.id}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^whsec_/) } });
    await bench.client.delete(`/api/webhooks/${webhook.id}`);
  });
});
