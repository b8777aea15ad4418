import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import type { ProviderPause } from '../../../src/emails/delivery/provider-pause.js';
import { SendRun } from '../../../src/emails/delivery/send-run.js';
import { ALL_PAUSED_KEY } from '../../../src/emails/delivery/provider-pause-key.js';
import type { DeliveryOutcome, DeliveryProvider } from '../../../src/providers/provider.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';
import { eventually } from '../../support/eventually.js';
import {
  ACCEPTED,
  clock,
  deliver,
  providerWorker,
  REFUSED,
  THROTTLED,
  UNKNOWN,
  WRONG_KEY,
  type ProviderWorker,
} from './provider-worker.js';
import { noSingleSends } from '../../support/single-sends.js';

const KEY = '{mailbeacon}:provider-pause:smtp';

let redis: RedisConnection;
beforeAll(async () => void (redis = await connectToTestRedis()));
afterAll(() => redis.disconnect());
beforeEach(() => redis.flushdb());

const worker = (others?: Partial<DeliveryProvider>) => providerWorker(redis, others);

/** Ends the pause as if that had happened some time ago, for these workers. */
async function endPause(agoMs: number, ...workers: readonly { readonly pause: ProviderPause }[]): Promise<void> {
  const [seconds] = await redis.time();
  await redis.del(KEY);
  await redis.hset(`${KEY}:probes`, 'until', Number(seconds) * 1_000 - agoMs);
  clock.time += 60_000;
  for (const { pause } of workers) expect(await pause.remainingMs()).toBe(0);
}

it.each([
  ['a refusal, which may be our own', REFUSED],
  ['a limit', THROTTLED],
])('%s between unknown outcomes does not hide that a provider fails', async (_, outcome) => {
  const { providers, inUse, pause } = worker();
  for (let call = 0; call < 5; call++) {
    await providers.note(inUse, UNKNOWN, 'acme');
    await providers.note(inUse, outcome, 'acme');
  }
  expect(pause.failure.isFailing).toBe(true);
});

it('only an accepted email shows that a failing provider works again', async () => {
  const { providers, inUse, pause } = worker();
  for (let call = 0; call < 5; call++) await providers.note(inUse, UNKNOWN, 'acme');
  for (const outcome of [REFUSED, THROTTLED]) await providers.note(inUse, outcome, 'acme');
  expect([pause.failure.isFailing, await redis.get(KEY)]).toEqual([true, 'failing']);
  await providers.note(inUse, ACCEPTED, 'acme');
  expect(pause.failure.isFailing).toBe(false);
  await eventually(async () => (await redis.exists(KEY)) === 0);
});

it('a limit that it reached while it failed holds all mail after an accepted email, and the API shows it', async () => {
  const one = worker();
  for (let call = 0; call < 5; call++) await one.providers.note(one.inUse, UNKNOWN, 'acme');
  await one.providers.note(one.inUse, { ...THROTTLED, pauseMs: 9_000 } as DeliveryOutcome, 'acme');
  await one.providers.note(one.inUse, ACCEPTED, 'acme');
  expect((await deliver(one, ACCEPTED)).calls).toBe(0);
  expect([await redis.get(ALL_PAUSED_KEY), await redis.get(KEY)]).toEqual(['throttled', 'throttled']);
});

it('a pause that a worker read before the provider began to fail does not end that', async () => {
  const { pause } = worker();
  for (let call = 0; call < 4; call++) await pause.failure.outcomeUnknown('acme');
  clock.time += 1_000;
  await Promise.all([pause.remainingMs(), pause.failure.outcomeUnknown('acme')]);
  expect(pause.failure.isFailing).toBe(true);
  expect(await worker().pause.remainingMs()).toBeGreaterThan(8_000);
});

it('a worker that does not know yet that a provider works again begins no pause', async () => {
  const [one, other] = [worker(), worker()];
  for (let call = 0; call < 5; call++) await one.pause.failure.outcomeUnknown('acme');
  clock.time += 1_000;
  await other.pause.remainingMs();
  one.pause.accepted();
  await eventually(async () => (await redis.exists(KEY)) === 0);
  expect(other.pause.failure.isFailing).toBe(true);
  expect((await other.pause.failure.probe({ organizationId: 'globex' })).waitMs).toBe(0);
  expect(await redis.exists(KEY)).toBe(0);
  expect([other.pause.failure.isFailing, other.pause.currentCause]).toEqual([false, undefined]);
});

it('mail asks again before a long pause of a failing provider ends: an accepted email ends the failure, not their waits', async () => {
  const one = worker();
  for (let call = 0; call < 5; call++) await one.pause.failure.outcomeUnknown('acme');
  await redis.hset(`${KEY}:probes`, 'probes', 5);
  await endPause(0, one);
  // The email that finds out, if it takes long.
  expect((await deliver(one, UNKNOWN)).calls).toBe(1);
  expect(await one.providers.remainingMs()).toBeGreaterThan(50_000);
  expect((await deliver(one, ACCEPTED)).outcome).toMatchObject({ kind: 'throttled', pauseMs: 15_000 });
  expect(await putOffMs(one)).toBe(15_000);
});

it.each([
  ['its limit', THROTTLED],
  ['its credentials', WRONG_KEY],
])('mail waits for a provider until the pause for %s ends', async (_, outcome) => {
  const one = worker();
  await one.providers.note(one.inUse, { ...outcome, pauseMs: 60_000 } as DeliveryOutcome, 'acme');
  expect(await putOffMs(one)).toBeGreaterThan(50_000);
});

/** For how long a job is put off. */
function putOffMs({ providers }: Pick<ProviderWorker, 'providers'>): Promise<number | undefined> {
  const slots = { tryTake: () => true, free: () => undefined };
  const organizations = { ownersOf: () => Promise.resolve([undefined]) };
  const parts = [slots, undefined, undefined, providers, organizations, undefined, noSingleSends, undefined];
  const run = new SendRun(...(parts as unknown as ConstructorParameters<typeof SendRun>));
  return run.run({ emailId: 'email' }, 0);
}

describe('an email in doubt, whose second unknown outcome would be its last', () => {
  it('waits for others that find out, and is passed alone if there are none for three minutes', async () => {
    const one = worker();
    for (let call = 0; call < 5; call++) await one.pause.failure.outcomeUnknown('acme');
    await endPause(100_000, one);
    const waits = await deliver(one, ACCEPTED, 'smtp');
    expect([waits.calls, waits.outcome]).toEqual([0, expect.objectContaining({ kind: 'throttled', pauseMs: 15_000 })]);
    await endPause(181_000, one);
    expect((await deliver(one, UNKNOWN, 'smtp')).calls).toBe(1);
    const next = await deliver(one, ACCEPTED, 'smtp');
    expect([next.calls, next.outcome.kind]).toEqual([0, 'throttled']);
  });

  it('goes on at once when another email was accepted', async () => {
    const one = worker();
    for (let call = 0; call < 5; call++) await one.pause.failure.outcomeUnknown('acme');
    await endPause(0, one);
    expect((await deliver(one, ACCEPTED)).calls).toBe(1);
    expect((await deliver(one, ACCEPTED, 'smtp')).calls).toBe(1);
  });
});

describe('a call without an email', () => {
  const responding = (outcome: DeliveryOutcome) => worker({ callWithoutEmail: () => Promise.resolve(outcome) });

  it.each([
    ['has no known outcome', UNKNOWN],
    ['cannot be made', { kind: 'retry', reason: 'nobody listens', unreachable: true } as DeliveryOutcome],
    ['is limited', THROTTLED],
  ])('keeps all emails from a failing provider if it %s', async (_, outcome) => {
    const one = responding(outcome);
    for (let call = 0; call < 5; call++) await one.pause.failure.outcomeUnknown('acme');
    await endPause(0, one);
    const waits = await deliver(one, ACCEPTED);
    expect([waits.calls, waits.outcome.kind]).toEqual([0, 'throttled']);
    expect([one.pause.failure.isFailing, await one.pause.remainingMs()]).toEqual([true, expect.any(Number)]);
    expect(one.pause.currentCause).toBeDefined();
    // For the API.
    expect(await redis.get(ALL_PAUSED_KEY)).toBe(one.pause.currentCause);
  });

  it.each([
    ['it is refused', REFUSED],
    ['it is refused like a wrong credential, perhaps for want of a sender', WRONG_KEY],
  ])('lets a single email find out if %s, because the provider may fail later', async (_, outcome) => {
    const one = responding(outcome);
    for (let call = 0; call < 5; call++) await one.pause.failure.outcomeUnknown('acme');
    await endPause(0, one);
    expect((await deliver(one, UNKNOWN)).calls).toBe(1);
    expect((await deliver(one, UNKNOWN)).calls).toBe(0);
  });

  it('does not keep all emails for good: the provider may fail with such calls alone', async () => {
    const one = responding(UNKNOWN);
    // The last one begins the first turn.
    for (let call = 0; call < 5; call++) await one.pause.failure.outcomeUnknown('acme');
    const calls: number[] = [];
    for (let turn = 2; turn <= 20; turn++) {
      await endPause(5_000, one);
      calls.push((await deliver(one, UNKNOWN)).calls);
    }
    expect(calls).toEqual([...Array(8).fill(0), 1, ...Array(9).fill(0), 1]);
  });

  it('is not made while the provider works', async () => {
    let made = 0;
    const one = worker({ callWithoutEmail: () => Promise.resolve((made++, REFUSED)) });
    expect((await deliver(one, ACCEPTED)).calls).toBe(1);
    expect(made).toBe(0);
  });
});
