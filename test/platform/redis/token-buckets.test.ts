import { connectForCommands, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { TokenBuckets } from '../../../src/platform/redis/token-buckets.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { eventually } from '../../support/eventually.js';

const HOUR_MS = 3_600_000;

let server: PrivateRedis;
let redis: RedisConnection;
let now = 0;
let buckets: TokenBuckets;

beforeAll(async () => {
  server = await PrivateRedis.start();
  redis = connectForCommands(server.url);
  redis.on('error', () => undefined);
  await eventually(async () => redis.status === 'ready');
  buckets = new TokenBuckets(redis, { now: () => now });
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

it('gives as many tokens as the bucket holds, however many ask at once', async () => {
  const taken = await Promise.all(Array.from({ length: 120 }, () => buckets.take('shared', 50, HOUR_MS)));
  expect(taken.filter((token) => token!.taken)).toHaveLength(50);
  expect(taken.map((token) => token!.remaining).slice(0, 51)).toEqual([
    ...Array.from({ length: 50 }, (_, at) => 49 - at),
    0,
  ]);
  const { nextTokenInMs, fullInMs } = taken[119]!;
  expect(nextTokenInMs).toBeGreaterThan(HOUR_MS / 50 - 5_000);
  expect(nextTokenInMs).toBeLessThanOrEqual(HOUR_MS / 50);
  expect(fullInMs).toBeGreaterThan(HOUR_MS - 5_000);
  expect((await buckets.take('other', 50, HOUR_MS))!.remaining).toBe(49);
});

it('fills up as time passes, and forgets itself when it is full', async () => {
  const take = async () => (await buckets.take('small', 2, 200))!.taken;
  expect([await take(), await take(), await take()]).toEqual([true, true, false]);
  await eventually(take, 1_000);
  await eventually(async () => (await redis.exists('small')) === 0, 1_000);
});

it('does not wait for a Redis that hangs, nor asks it again at once, and comes back with it', async () => {
  server.freeze();
  const begun = performance.now();
  expect(await buckets.take('any', 2, HOUR_MS)).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(900);
  const asked = performance.now();
  for (let again = 0; again < 50; again++) expect(await buckets.take('any', 2, HOUR_MS)).toBeUndefined();
  expect(performance.now() - asked).toBeLessThan(90);
  server.thaw();
  await eventually(() => {
    now += 1_000;
    return buckets.take('any', 2, HOUR_MS);
  });
});

it('does not fail while Redis is away', async () => {
  await server.kill();
  now += 1_000;
  expect(await buckets.take('any', 2, HOUR_MS)).toBeUndefined();
  await server.start();
  await eventually(() => {
    now += 1_000;
    return buckets.take('any', 2, HOUR_MS);
  });
});
