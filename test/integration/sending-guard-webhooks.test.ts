import { Queue } from 'bullmq';
import { resumeSending } from '../../src/organizations/guard/guard-change.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { QUEUE_PREFIX, QUEUES } from '../../src/platform/queue/jobs.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { TestGuards } from '../support/sending-guards.js';
import { TestService, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let service: TestService;
let client: TestClient;
let guards: TestGuards;
let receiver: WebhookReceiver;

beforeAll(async () => {
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', GUARD_MIN_SENT: '10' } });
  guards = TestGuards.beside(service);
});
beforeEach(async () => {
  client = await service.organization();
  receiver = await WebhookReceiver.listen();
});
afterEach(() => receiver?.stop());
afterAll(async () => {
  await guards?.stop();
  await service?.stop();
});

async function listen(...events: string[]): Promise<void> {
  expect((await client.post('/api/webhooks', { url: receiver.url, events })).status).toBe(201);
}

/** Sets that this many of 100 recipients bounced in this hour. */
async function count(bounced: number, domain = 'acme.example'): Promise<void> {
  await service.database.query(
    `insert into sending_rates (organization_id, hour, domain, sent, bounced)
     values ($1, date_trunc('hour', now(), 'UTC'), $2, 100, $3)
     on conflict (organization_id, hour, domain) do update set bounced = excluded.bounced`,
    [client.organizationId, domain, bounced],
  );
}

/** Evaluates again without a change. */
async function evaluate(): Promise<void> {
  for (let times = 0; times < 3; times++) await guards.evaluate();
}

const deliveries = () =>
  service.database.query<{ id: string; status: string }>(
    `select d.id, d.status from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where w.organization_id = $1 order by d.id`,
    [client.organizationId],
  );

/** The bodies that the receiver got, in the order of the changes, once no delivery is pending. */
async function posted(): Promise<{ type: string; timestamp: string; data: Record<string, unknown> }[]> {
  const rows = await eventually(async () => {
    const all = await deliveries();
    return all.every(({ status }) => status === 'delivered') && all;
  }, 15_000);
  expect(receiver.received.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id));
  return rows.map(({ id }) => JSON.parse(receiver.received.find((one) => one.id === id)!.body));
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const event = (data: object) => ({ type: 'SENDING_GUARD_CHANGED', timestamp: time, data: { ...data, since: time } });
const bounced = (more: object) => ({ fact: 'bounced', domain: null, sent: 100, ...more });

it('posts each change of the state once: warned, slowed down, paused, resumed', async () => {
  await listen('SENDING_GUARD_CHANGED');
  await listen('EMAIL_SENT', 'EMAIL_BOUNCED');
  await count(6);
  await evaluate();
  await count(8);
  await evaluate();
  await count(12);
  await evaluate();
  expect(await resumeSending(service.database, client.organizationId)).toBe(true);
  expect(await resumeSending(service.database, client.organizationId)).toBe(false);
  await evaluate();

  const warn = { count: 6, rate: 0.06, limit: 0.05 };
  const slow = { count: 8, rate: 0.08, limit: 0.075 };
  const pause = { count: 12, rate: 0.12, limit: 0.1 };
  const everywhere = (rate: object) =>
    [1, 24, 168].flatMap((hours) => [bounced({ ...rate, hours }), bounced({ ...rate, hours, domain: 'acme.example' })]);
  expect(await posted()).toEqual([
    event({
      state: 'warned',
      before: 'normal',
      reason: '6 % of 100 recipients bounced within the last hour, and the limit is 5 %',
      domain: null,
      rates: everywhere(warn),
    }),
    event({
      state: 'slowed',
      before: 'warned',
      reason: '8 % of 100 recipients bounced within the last hour, and the limit is 7.5 %',
      domain: null,
      rates: everywhere(slow),
    }),
    event({
      state: 'paused',
      before: 'slowed',
      reason: '12 % of 100 recipients bounced within the last hour, and the limit is 10 %',
      domain: null,
      rates: everywhere(pause),
    }),
    event({ state: 'normal', before: 'paused', reason: 'An operator resumed sending', domain: null, rates: [] }),
  ]);
});

it('names the domain whose mail caused the change, and posts each step back to normal', async () => {
  await listen('SENDING_GUARD_CHANGED');
  await count(0);
  await count(9, 'shop.example');
  await evaluate();
  await count(5, 'shop.example');
  await evaluate();
  await count(0, 'shop.example');
  await evaluate();
  const [slowed, warned, normal, ...more] = await posted();
  expect(slowed!.data).toMatchObject({ state: 'slowed', before: 'normal', domain: 'shop.example' });
  expect(warned!.data).toMatchObject({ state: 'warned', before: 'slowed', domain: 'shop.example' });
  expect(normal).toEqual(
    event({
      state: 'normal',
      before: 'warned',
      reason: 'The rates are below the limits again',
      domain: null,
      rates: [],
    }),
  );
  expect(more).toEqual([]);
});

it('posts a change once if several processes make it at the same time', async () => {
  await listen('SENDING_GUARD_CHANGED');
  await service.database.query(`insert into sending_guards (organization_id, state) values ($1, 'normal')`, [
    client.organizationId,
  ]);
  await count(12);
  const other = await openDatabase(service.settings.DATABASE_URL, 1);
  const evaluations = await other.transaction(async (sql) => {
    await sql.query('select from sending_guards where organization_id = $1 for update', [client.organizationId]);
    const both = Promise.all([guards.evaluate(), guards.evaluate()]);
    await eventually(async () => {
      const waiting = await service.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length >= 2;
    });
    return { both };
  });
  await evaluations.both;
  await other.pool.end();
  const bodies = await posted();
  expect(bodies.map(({ data }) => [data.before, data.state])).toEqual([['normal', 'paused']]);
});

it('wakes the webhook delivery', async () => {
  const redis = connectForBlocking(service.settings.REDIS_URL);
  const queue = new Queue(QUEUES.webhooks, { connection: redis, prefix: QUEUE_PREFIX });
  try {
    await queue.pause(); // A paused queue keeps the job, even if a sweep delivers first.
    await listen('SENDING_GUARD_CHANGED');
    await count(6);
    await guards.evaluate();
    const jobs = await eventually(async () => {
      const all = await queue.getJobs();
      return all.length > 0 && all;
    });
    const [delivery] = await deliveries();
    expect(jobs.map(({ data }) => data)).toEqual([{ deliveryId: delivery!.id }]);
  } finally {
    await queue.resume();
    await queue.close();
    redis.disconnect();
  }
});
