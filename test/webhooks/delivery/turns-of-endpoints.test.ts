import { DueDeliveries } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookSettlement } from '../../../src/webhooks/delivery/webhook-settlement.js';
import { WebhookBench } from '../webhook-bench.js';
import { freeSlots } from './claimed-deliveries.js';

/** Endpoints with a backlog that lasts longer than the test: as many as there are slots, and more. */
const BUSY = 10;
const BACKLOG = 40;
/** So many that an endpoint that gets every eleventh slot on average misses all of them once in 100 million tests. */
const CLAIMS = 200;

const accepted = { startedAt: new Date(), durationMs: 5, status: 204, error: null, answer: '' };

let bench: WebhookBench;
/** Without a worker, only the tests attempt deliveries. */
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
});
afterAll(() => bench?.stop());
afterEach(() => bench.removeWebhooks());

it.each(['healthy', 'slow'])(
  'an endpoint with a new delivery gets a slot beside many %s ones with old deliveries, which take each that is free',
  async (state) => {
    const { database } = bench.service;
    const due = new DueDeliveries(database);
    const settlement = new WebhookSettlement(database);
    const endpoints: string[] = [];
    for (let made = 0; made <= BUSY; made++) endpoints.push(await bench.endpoint(`http://127.0.0.1:9/${made}`));
    await bench.writeAll(endpoints.slice(0, BUSY), BACKLOG);
    const [newest] = await bench.write(endpoints[BUSY]!, 1);
    const slow = state === 'slow' ? endpoints : [];
    const claimed: string[] = [];
    while (claimed.length < CLAIMS && claimed.at(-1) !== newest) {
      const [delivery] = await due.claimDue({ ...freeSlots, healthy: 1, unhealthy: 1, slow });
      await settlement.delivered(delivery!, accepted);
      claimed.push(delivery!.id);
    }
    expect(claimed.at(-1)).toBe(newest);
  },
);
