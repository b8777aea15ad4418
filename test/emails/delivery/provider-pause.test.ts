import { Writable } from 'node:stream';
import { pino } from 'pino';
import { connectForCommands, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { ProviderPause } from '../../../src/emails/delivery/provider-pause.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';
import { eventually } from '../../support/eventually.js';

const clock = { time: 1_000_000, now: () => clock.time };

let redis: RedisConnection;
beforeAll(async () => void (redis = await connectToTestRedis()));
afterAll(() => redis.disconnect());

beforeEach(() => redis.flushdb());

/** Ends the pause as time would, for these workers. */
async function endPause(...workers: ProviderPause[]): Promise<void> {
  await redis.del('{mailbeacon}:provider-pause:smtp');
  const until = await redis.hget('{mailbeacon}:provider-pause:smtp:probes', 'until');
  const [seconds] = await redis.time();
  await redis.hset('{mailbeacon}:provider-pause:smtp:probes', 'until', Math.min(Number(until), Number(seconds) * 1000));
  clock.time += 60_000;
  for (const one of workers) expect(await one.remainingMs()).toBe(0);
}

const worker = (logger = pino({ level: 'silent' })) => new ProviderPause('smtp', redis, clock, logger);

describe('a pause of the provider', () => {
  it('applies to every delivery of another worker, including those that start while it reads the pause', async () => {
    const [one, other] = [worker(), worker()];
    expect(await other.remainingMs()).toBe(0);
    await one.begin(60_000, 'throttled');
    clock.time += 1_000;
    const seen = await Promise.all(Array.from({ length: 20 }, () => other.remainingMs()));
    expect(Math.min(...seen)).toBeGreaterThan(50_000);
  });

  it('is not shortened by a shorter one', async () => {
    const one = worker();
    await one.begin(60_000, 'throttled');
    await worker().begin(1_000, 'throttled');
    clock.time += 1_000;
    expect(await worker().remainingMs()).toBeGreaterThan(50_000);
    await one.remainingMs();
    await one.begin(1_000, 'throttled');
    expect(await one.remainingMs()).toBeGreaterThan(50_000);
  });

  it('shows its cause in every worker', async () => {
    await worker().begin(60_000, 'credential-refused');
    const remaining = await worker().remainingByCause();
    expect(remaining.throttled).toBe(0);
    expect(remaining['credential-refused']).toBeGreaterThan(50_000);
  });

  it('knows in every worker how long the provider has accepted nothing, which the first accepted email ends', async () => {
    const [one, other] = [worker(), worker()];
    await one.begin(1_000, 'credential-refused');
    await redis.decrby('{mailbeacon}:provider-pause:smtp:since', 25 * 3_600_000);
    await other.begin(1_000, 'credential-refused');
    clock.time += 2_000;
    await other.remainingMs();
    expect(other.hasLasted(24 * 3_600_000)).toBe(true);
    expect(other.hasLasted(26 * 3_600_000)).toBe(false);
    clock.time += 2_000;
    other.accepted();
    expect(other.hasLasted(0)).toBe(false);
    await eventually(async () => {
      clock.time += 2_000;
      await one.remainingMs();
      return !one.hasLasted(0);
    });
  });

  it('begins after five unknown outcomes without an accepted email, and lets single emails find out whether it is over', async () => {
    const [one, other] = [worker(), worker()];
    for (let call = 0; call < 4; call++) await one.failure.outcomeUnknown('acme');
    one.accepted();
    for (let call = 0; call < 4; call++) await one.failure.outcomeUnknown('acme');
    expect([one.failure.isFailing, await one.remainingMs()]).toEqual([false, 0]);
    await one.failure.outcomeUnknown('acme');
    expect(one.failure.isFailing).toBe(true);
    clock.time += 1_000;
    expect(await other.remainingMs()).toBeGreaterThan(8_000);
    expect(other.failure.isFailing).toBe(true);

    await endPause(one, other);
    const turns = await Promise.all([one, other, one].map((each) => each.failure.probe({ organizationId: 'globex' })));
    const waits = turns.map(({ waitMs }) => waitMs);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(1);
    // The pause has doubled.
    expect(Math.max(...waits)).toBeGreaterThan(15_000);
    await one.failure.outcomeUnknown('globex');
    expect(one.currentCause).toBe('failing');

    other.accepted();
    await eventually(async () => {
      clock.time += 1_000;
      return (await one.remainingMs()) === 0 && !one.failure.isFailing;
    });
    expect([await other.remainingMs(), other.failure.isFailing]).toEqual([0, false]);
  });

  it('for its limit outlasts a longer one of a failing provider that an accepted email ends', async () => {
    const [one, other] = [worker(), worker()];
    for (let call = 0; call < 5; call++) await one.failure.outcomeUnknown('acme');
    clock.time += 1_000;
    expect(await other.remainingMs()).toBeGreaterThan(8_000);
    // Responses to calls that were in flight when it began.
    await one.begin(9_000, 'throttled');
    await one.begin(3_000, 'throttled');
    one.accepted();
    expect([one.failure.isFailing, await one.remainingMs(), one.currentCause]).toEqual([false, 9_000, 'throttled']);
    await eventually(async () => {
      clock.time += 1_000;
      await other.remainingMs();
      return !other.failure.isFailing;
    });
    for (const each of [other, worker()]) {
      expect(await each.remainingMs()).toBeGreaterThan(3_000);
      expect(each.currentCause).toBe('throttled');
    }
  });

  it('of a failing provider lets other organizations find out first, because one may cause the failures', async () => {
    const one = worker();
    for (let call = 0; call < 5; call++) await one.failure.outcomeUnknown('hostile');
    await endPause(one);
    expect((await one.failure.probe({ organizationId: 'hostile' })).waitMs).toBeGreaterThan(1_000);
    expect((await one.failure.probe({ organizationId: 'globex' })).waitMs).toBe(0);
  });

  it('of a failing provider is kept in memory while Redis cannot be asked', async () => {
    const redisDown = connectForCommands('redis://127.0.0.1:1');
    redisDown.on('error', () => undefined);
    const one = new ProviderPause('smtp', redisDown, clock, pino({ level: 'silent' }));
    for (let call = 0; call < 5; call++) await one.failure.outcomeUnknown('acme');
    expect((await one.failure.probe({ organizationId: 'acme' })).waitMs).toBeGreaterThan(5_000);
    clock.time += 10_000;
    expect([
      (await one.failure.probe({ organizationId: 'acme' })).waitMs,
      (await one.failure.probe({ organizationId: 'acme' })).waitMs,
    ]).toEqual([0, 10_000]);
    one.accepted();
    expect([one.failure.isFailing, one.currentCause]).toEqual([false, undefined]);
    redisDown.disconnect();
  });

  it('ends in time after the clock of Redis was set back, which prolongs the time to live of keys', async () => {
    const key = '{mailbeacon}:provider-pause:smtp';
    const dayMs = 24 * 3_600_000;
    const [seconds] = await redis.time();
    const tomorrow = Number(seconds) * 1_000 + dayMs;
    await redis.set(key, 'failing', 'PX', dayMs);
    await redis.hset(`${key}:probes`, { organization: 'acme', until: tomorrow, probes: 1 });
    const one = worker();
    expect(await one.remainingMs()).toBeLessThanOrEqual(15 * 60_000);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(15 * 60_000);
    await redis.del(key);
    expect(await one.failure.probe({ organizationId: 'globex' })).toEqual({ waitMs: 0, isForEmail: false });
  });

  it('is logged once, even if it delays many emails, until the provider accepts mail again', async () => {
    const lines: Record<string, unknown>[] = [];
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
        done();
      },
    });
    const one = worker(pino({}, destination));
    for (let email = 0; email < 5; email++) await one.begin(60_000, 'credential-refused');
    // A call that was in flight when the pause began.
    one.accepted();
    expect(lines).toHaveLength(1);
    clock.time += 60_000;
    one.accepted();
    one.accepted();
    await one.begin(60_000, 'credential-refused');
    const refused = { level: 50, provider: 'smtp', cause: 'credential-refused', pauseMs: 60_000 };
    expect(lines).toEqual([
      expect.objectContaining(refused),
      expect.objectContaining({ level: 30, msg: 'The provider accepts mail again' }),
      expect.objectContaining(refused),
    ]);
  });
});
