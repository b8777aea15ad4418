import { DueDeliveries } from '../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookBench } from './webhook-bench.js';

const freeSlots = { healthy: 10, unhealthy: 10, perEndpoint: 10, running: new Map(), slow: [] };

let bench: WebhookBench;
let due: DueDeliveries;

/** Without a worker, only the tests attempt deliveries. */
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
  due = new DueDeliveries(bench.service.database);
});
afterAll(() => bench?.stop());

describe('a click delivery that waits longer than its event is kept', () => {
  it('still has the link that was clicked', async () => {
    const { id } = await bench.webhook('http://127.0.0.1:9/clicks');
    const { database } = bench.service;
    const email = { from: 'a@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const { body: sent } = await bench.client.post<{ id: string }>('/api/emails', email);
    const urls = ['https://shop.example/first', 'https://shop.example/second'];
    await database.query(
      'insert into email_links (email_id, urls) values ($1, $2) on conflict (email_id) do update set urls = $2',
      [sent.id, urls],
    );
    const clicks = await database.query<{ id: string; position: number }>(
      `insert into webhook_deliveries (id, endpoint_id, type, email_id, event_id, link_position)
       select gen_random_uuid(), $1, 'EMAIL_CLICKED', $2, '019a0000-0000-7000-8000-000000000001', position
         from generate_series(0, 1) position
       returning id, link_position as position`,
      [id, sent.id],
    );
    const claims = await due.claimDue(freeSlots);
    expect(claims).toHaveLength(2);
    for (const claimed of claims) {
      const { position } = clicks.find((click) => click.id === claimed.id)!;
      const { data } = JSON.parse(claimed.body) as { data: { url: string } };
      expect(data.url).toBe(urls[position]);
    }
  });
});
