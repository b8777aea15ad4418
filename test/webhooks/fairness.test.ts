import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { eventually } from '../support/eventually.js';
import { WebhookBench } from './webhook-bench.js';

const HEALTHY = 100;
const EACH = 3;

let bench: WebhookBench;
let receiver: WebhookReceiver;
let healthy: string[];

beforeEach(async () => {
  bench = await WebhookBench.start({ environment: { WEBHOOK_CONCURRENCY: '40' } });
  receiver = await WebhookReceiver.listen();
  receiver.respond = (response) => void setTimeout(() => response.writeHead(204).end(), 5);
  healthy = await Promise.all(
    Array.from({ length: HEALTHY }, (_, index) => bench.endpoint(`${receiver.url}/${index}`)),
  );
});
afterEach(async () => {
  await receiver.stop();
  await bench?.stop();
});

/** Resolves once the healthy endpoints have received this many deliveries each. */
async function deliverToHealthy(each: number): Promise<void> {
  await bench.writeAll(healthy, each);
  await bench.run('sweep-webhooks');
  await eventually(() => receiver.received.length >= HEALTHY * each, 60_000);
  expect(receiver.received).toHaveLength(HEALTHY * each);
}

/** How many attempts at these endpoints have ended. */
async function endedAttempts(endpoints: readonly string[]): Promise<number> {
  const ended = await bench.service.database.query(
    `select from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.endpoint_id = any($1)`,
    [endpoints],
  );
  return ended.length;
}

/** Endpoints that never respond. Their deliveries are due all at once, at any sweep. */
async function silentReceivers(count: number, deliveries: number) {
  const silent = await WebhookReceiver.listen();
  silent.respond = () => undefined;
  const endpoints: string[] = [];
  for (let made = 0; made < count; made++) endpoints.push(await bench.endpoint(`${silent.url}/${made}`));
  await bench.writeAll(endpoints, deliveries);
  return { silent, endpoints };
}

it('W09: one dead endpoint with a long queue does not delay a hundred healthy ones', async () => {
  const { silent, endpoints } = await silentReceivers(1, 500);
  await bench.run('sweep-webhooks');
  await eventually(() => silent.received.length > 0);
  await deliverToHealthy(EACH);
  // The dead endpoint never has more than a tenth of the slots.
  expect(silent.openConnections).toBeLessThanOrEqual(4);
  // Its first attempts time out after 15 seconds. If it had all slots, 40 of them would end before any other delivery.
  expect(await endedAttempts(endpoints)).toBeLessThanOrEqual(4);
  await silent.stop();
});

it('many endpoints that die at the same moment do not make the others wait for their timeouts', async () => {
  const { silent, endpoints } = await silentReceivers(30, 5);
  await bench.run('sweep-webhooks');
  // All slots that healthy endpoints can have.
  await eventually(() => silent.received.length >= 30);
  await deliverToHealthy(1);
  expect(await endedAttempts(endpoints)).toBe(0);
  await silent.stop();
});

it('an endpoint that failed repeatedly is only probed, and receives its queue once it is healthy', async () => {
  const flaky = await WebhookReceiver.listen();
  flaky.respond = respondWith(503);
  const endpoint = await bench.endpoint(flaky.url);
  await bench.write(endpoint, 200);
  await bench.sweep();
  // The first claim, and what was claimed before that had failed.
  expect(flaky.received.length).toBeLessThanOrEqual(12);
  const [{ attempts }] = (await bench.service.database.query<{ attempts: number }>(
    'select max(attempts) as attempts from webhook_deliveries',
  )) as [{ attempts: number }];
  expect(attempts).toBe(1);
  const calls = flaky.received.length;
  await bench.pass(11_000);
  await bench.sweep();
  expect(flaky.received.length).toBe(calls + 1);
  flaky.respond = respondWith(204);
  await bench.pass(600_000);
  await bench.sweep();
  await eventually(async () => {
    const rows = await bench.service.database.query(`select id from webhook_deliveries where status <> 'delivered'`);
    return rows.length === 0;
  });
  await flaky.stop();
});

it('two workers share due deliveries and attempt none twice', async () => {
  const second = await WebhookBench.start({ beside: bench.service, environment: { ROLES: 'worker' } });
  try {
    await bench.writeAll(healthy, EACH);
    await Promise.all(Array.from({ length: 6 }, () => bench.run('sweep-webhooks')));
    await bench.sweep();
    expect(receiver.received).toHaveLength(HEALTHY * EACH);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(HEALTHY * EACH);
  } finally {
    await second.stop();
  }
});
