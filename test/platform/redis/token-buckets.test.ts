import { jest } from '@jest/globals';
import { connectForCommands, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { bucketKey, TokenBuckets } from '../../../src/platform/redis/token-buckets.js';
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

it('gives as many tokens as the bucket has, however many requests arrive at once', async () => {
  const taken = await Promise.all(Array.from({ length: 120 }, () => buckets.take('shared', 50, HOUR_MS)));
  expect(taken.filter((token) => token.taken)).toHaveLength(50);
  expect(taken.map((token) => token.remaining).slice(0, 51)).toEqual([
    ...Array.from({ length: 50 }, (_, at) => 49 - at),
    0,
  ]);
  const { nextTokenInMs, fullInMs } = taken[119]!;
  expect(nextTokenInMs).toBeGreaterThan(HOUR_MS / 50 - 5_000);
  expect(nextTokenInMs).toBeLessThanOrEqual(HOUR_MS / 50);
  expect(fullInMs).toBeGreaterThan(HOUR_MS - 5_000);
  expect((await buckets.take('other', 50, HOUR_MS)).remaining).toBe(49);
});

it('refills over time, and is deleted when it is full', async () => {
  const take = async () => (await buckets.take('small', 2, 2_000)).taken;
  // At once, because the bucket gets a token each second.
  expect(await Promise.all([take(), take(), take()])).toEqual([true, true, false]);
  await eventually(take);
  await eventually(async () => (await redis.exists(bucketKey('small'))) === 0);
});

it('refuses no longer than a window after the clock of Redis was set back', async () => {
  const windowMs = 1_000;
  const [seconds] = await redis.time();
  await redis.set(bucketKey('ahead'), String((Number(seconds) + 3_600) * 1_000), 'PX', HOUR_MS);
  const refused = await buckets.take('ahead', 2, windowMs);
  expect(refused.taken).toBe(false);
  expect(refused.nextTokenInMs).toBeLessThanOrEqual(windowMs);
  await eventually(async () => (await buckets.take('ahead', 2, windowMs)).taken);
  await eventually(async () => (await redis.exists(bucketKey('ahead'))) === 0);
});

it('takes a token that another process has put back', async () => {
  const other = new TokenBuckets(redis, { now: () => now });
  const take = (by: TokenBuckets) => by.take('shared with another', 2, HOUR_MS);
  expect([(await take(other)).taken, (await take(buckets)).taken]).toEqual([true, true]);
  other.giveBack('shared with another', 2, HOUR_MS);
  expect((await take(buckets)).taken).toBe(true);
  expect((await take(buckets)).taken).toBe(false);
});

it('counts in memory while Redis hangs, rarely retries it, and updates it afterwards', async () => {
  const take = async () => (await buckets.take('hung', 3, HOUR_MS)).taken;
  expect(await take()).toBe(true);
  now += 1_000; // Ends a pause that a slow response on a busy machine began.
  const takes = countTakes();
  server.freeze();
  expect([await take(), await take(), await take()]).toEqual([true, true, false]);
  for (let again = 0; again < 50; again++) expect(await take()).toBe(false);
  expect(takes()).toBe(1);
  server.thaw();
  await eventually(async () => {
    now += 1_000;
    await take();
    return (await redis.pttl(bucketKey('hung')).catch(() => 0)) > 0.9 * HOUR_MS;
  });
  const inAnotherProcess = new TokenBuckets(redis, { now: () => now });
  expect((await inAnotherProcess.take('hung', 3, HOUR_MS)).taken).toBe(false);
});

it('counts in memory while Redis is down, and updates it afterwards', async () => {
  await server.kill();
  const take = async () => (await buckets.take('away', 2, HOUR_MS)).taken;
  now += 1_000;
  expect([await take(), await take(), await take()]).toEqual([true, true, false]);
  buckets.giveBack('away', 2, HOUR_MS);
  expect([await take(), await take()]).toEqual([true, false]);
  await server.start();
  await eventually(async () => {
    now += 1_000;
    await take();
    return (await redis.pttl(bucketKey('away')).catch(() => 0)) > 0.9 * HOUR_MS;
  });
});

it('tells other processes what it counted in memory', async () => {
  await server.kill();
  const take = () => buckets.take('counted alone', 10, HOUR_MS);
  now += 1_000;
  for (let taken = 0; taken < 8; taken++) await take();
  await server.start();
  await eventually(async () => {
    now += 1_000;
    await take();
    return (await redis.exists(bucketKey('counted alone')).catch(() => 0)) === 1;
  });
  const inAnotherProcess = new TokenBuckets(redis, { now: () => now });
  expect((await inAnotherProcess.take('counted alone', 10, HOUR_MS)).remaining).toBe(0);
});

it('refills while it counts in memory', async () => {
  await server.kill();
  now += 1_000;
  const take = async () => (await buckets.take('refilled', 1, 200)).taken;
  expect(await take()).toBe(true);
  await eventually(take);
  await server.start();
});

it('shares its limits again soon after a failure, although the system clock was set back', async () => {
  await server.kill();
  const shared = new TokenBuckets(redis);
  await shared.take('set back', 5, HOUR_MS);
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - HOUR_MS);
  try {
    await server.start();
    await eventually(async () => {
      await shared.take('set back', 5, HOUR_MS);
      return (await redis.exists(bucketKey('set back')).catch(() => 0)) === 1;
    });
  } finally {
    clock.mockRestore();
  }
});

/** Counts the requests to Redis for a token from now on. */
function countTakes(): () => number {
  const connection = redis as unknown as { takeToken: (...parameters: unknown[]) => Promise<unknown> };
  const takeToken = connection.takeToken.bind(redis);
  let takes = 0;
  connection.takeToken = (...parameters) => {
    takes++;
    return takeToken(...parameters);
  };
  return () => takes;
}
