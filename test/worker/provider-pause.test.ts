import { pino } from 'pino';
import type { DeliveryProvider } from '../../src/providers/provider.js';
import { connectForCommands, type RedisConnection } from '../../src/redis/connect.js';
import { ProviderPause } from '../../src/worker/provider-pause.js';
import { eventually } from '../support/eventually.js';
import { createTestRedis } from '../support/services.js';

const clock = { time: 1_000_000, now: () => clock.time };
const provider = { name: 'smtp' } as DeliveryProvider;

let redis: RedisConnection;
beforeAll(async () => {
  redis = connectForCommands((await createTestRedis()).url);
  await eventually(() => redis.status === 'ready');
});
afterAll(() => redis.disconnect());

const worker = () => new ProviderPause(provider, redis, clock, pino({ level: 'silent' }));

describe('a pause of the provider', () => {
  it('holds for every delivery of another worker, however many begin while it looks', async () => {
    const [one, other] = [worker(), worker()];
    expect(await other.remainingMs()).toBe(0);
    await one.begin(60_000, 'throttled');
    clock.time += 1_000;
    const seen = await Promise.all(Array.from({ length: 20 }, () => other.remainingMs()));
    expect(Math.min(...seen)).toBeGreaterThan(50_000);
  });

  it('is not ended by a shorter one', async () => {
    const one = worker();
    await one.begin(60_000, 'throttled');
    await worker().begin(1_000, 'throttled');
    clock.time += 1_000;
    expect(await worker().remainingMs()).toBeGreaterThan(50_000);
  });
});
