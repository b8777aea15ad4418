import { DueDeliveries } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookSettlement } from '../../../src/webhooks/delivery/webhook-settlement.js';
import { BREAKER_FAILURES } from '../../../src/webhooks/delivery/claim-statements.js';
import { MINUTE, SECOND, WebhookBench } from '../webhook-bench.js';
import { claimedDeliveries, freeSlots } from './claimed-deliveries.js';

/** A request may take this long, and its result has to be recorded within the lease. */
const REQUEST_MS = 15 * SECOND;
const LONGEST_LEASE_MS = 25 * SECOND;

let bench: WebhookBench;
let due: DueDeliveries;

/** Without a worker, only the tests attempt deliveries. */
beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api' } });
  due = new DueDeliveries(bench.service.database);
});
afterAll(() => bench?.stop());
afterEach(() => bench.removeWebhooks());

async function millisecondsUntil(column: string, table: string, id: string): Promise<number> {
  const [row] = await bench.service.database.query<{ left: number }>(
    `select (extract(epoch from ${column} - now()) * 1000)::float8 as left from ${table} where id = $1`,
    [id],
  );
  return row!.left;
}

it('the delivery of a worker that died is due again after a request could have ended', async () => {
  const { id, claimed } = await claimedDeliveries(bench, 1);
  const left = await millisecondsUntil('next_attempt_at', 'webhook_deliveries', claimed[0]!.id);
  expect(left).toBeGreaterThan(REQUEST_MS);
  expect(left).toBeLessThanOrEqual(LONGEST_LEASE_MS);
  expect(await due.claimDue(freeSlots)).toEqual([]);
  await bench.pass(LONGEST_LEASE_MS);
  expect(await due.claimDue(freeSlots)).toMatchObject([{ id: claimed[0]!.id, endpointId: id }]);
});

it('a worker that died during a probe pauses the endpoint no longer than that', async () => {
  const { id } = await bench.webhook('http://127.0.0.1:9/');
  await bench.write(id, 1);
  await bench.service.database.query('update webhook_endpoints set failures = $1 where id = $2', [
    BREAKER_FAILURES,
    id,
  ]);
  expect(await due.claimDue(freeSlots)).toHaveLength(1);
  expect(await millisecondsUntil('paused_until', 'webhook_endpoints', id)).toBeLessThanOrEqual(LONGEST_LEASE_MS);
});

it('a result is recorded after the lease if no other worker has claimed the delivery', async () => {
  const settlement = new WebhookSettlement(bench.service.database);
  const log = { startedAt: new Date(), durationMs: 5, status: 200, error: null, answer: null };
  const [late, overtaken] = (await claimedDeliveries(bench, 2)).claimed;
  await bench.pass(MINUTE);
  expect(await settlement.delivered(late!, log)).toMatchObject({ attempt: 1 });
  expect(await due.claimDue(freeSlots)).toMatchObject([{ id: overtaken!.id }]);
  expect(await settlement.delivered(overtaken!, log)).toBeUndefined();
});
