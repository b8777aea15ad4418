import { codeOfVerdict, type Verdict } from '../../src/events/verdict.js';
import { DueDeliveries } from '../../src/webhooks/delivery/claim-deliveries.js';
import type { WebhookWithSecret } from '../../src/webhooks/webhook-view.js';
import { WebhookBench } from './webhook-bench.js';

const freeSlots = { healthy: 10, unhealthy: 10, perEndpoint: 10, running: new Map(), slow: [] };
const url = 'http://127.0.0.1:9/people';

let bench: WebhookBench;

/** Without a worker, only the tests attempt deliveries. */
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
});
afterAll(() => bench?.stop());

describe('an endpoint may set people: true', () => {
  it('when it is created or changed, and returns it; by default it receives everything', async () => {
    const { body: asking } = await bench.client.post<WebhookWithSecret>('/api/webhooks', { url, people: true });
    expect(asking.people).toBe(true);
    expect((await bench.read(asking.id)).people).toBe(true);
    expect((await bench.patch(asking.id, { enabled: true, people: null })).body.people).toBe(true);
    expect((await bench.patch(asking.id, { people: false })).body.people).toBe(false);
    const { id } = await bench.webhook(url);
    expect(await bench.read(id)).toMatchObject({ people: false });
    expect((await bench.patch(id, { people: true })).body).toMatchObject({ people: true, events: ['EMAIL_SENT'] });
  });

  it('to true or false, nothing else', async () => {
    const { id } = await bench.webhook(url);
    for (const people of ['true', 1, []]) {
      const refused = { status: 400, body: { details: [{ field: 'people' }] } };
      expect(await bench.client.post('/api/webhooks', { url, people })).toMatchObject(refused);
      expect(await bench.patch(id, { people })).toMatchObject(refused);
    }
  });
});

describe('EMAIL_OPENED and EMAIL_CLICKED', () => {
  it('have class, reason and certainty as known when the delivery was stored, in every attempt', async () => {
    const { database } = bench.service;
    const due = new DueDeliveries(database);
    const { id } = await bench.webhook(url, ['EMAIL_OPENED', 'EMAIL_CLICKED']);
    const email = { from: 'a@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const { body: sent } = await bench.client.post<{ id: string }>('/api/emails', email);
    const fetched: Verdict = { class: 'prefetch', reason: 'user-agent:apple-mpp', certainty: 'certain' };
    const unsigned: Verdict = { class: 'human', reason: 'none', certainty: 'probable' };
    const cases: [string, number | null, Verdict][] = [
      ['EMAIL_OPENED', codeOfVerdict(fetched), fetched],
      ['EMAIL_OPENED', 0, unsigned],
      ['EMAIL_CLICKED', null, unsigned], // Stored by an earlier build.
      ['EMAIL_CLICKED', 30_000, unsigned], // Stored by a later build.
    ];
    for (const [type, verdict, expected] of cases) {
      await database.query(
        `insert into webhook_deliveries (id, endpoint_id, type, email_id, event_id, link_position, verdict)
         values (gen_random_uuid(), $1, $2, $3, '019a0000-0000-7000-8000-000000000001', 0, $4)`,
        [id, type, sent.id, verdict],
      );
      const [first] = await due.claimDue(freeSlots);
      expect(JSON.parse(first!.body)).toMatchObject({ type, data: { id: sent.id, ...expected } });
      // The default is cut to milliseconds: the column would round now() up to half of one into the future.
      await database.query(
        `update webhook_deliveries set next_attempt_at = default, lease_token = null where id = $1`,
        [first!.id],
      );
      const [again] = await due.claimDue(freeSlots);
      expect(again!.body).toBe(first!.body);
      await database.query('delete from webhook_deliveries where id = $1', [first!.id]);
    }
  });
});
