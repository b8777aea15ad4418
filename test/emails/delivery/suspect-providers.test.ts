import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { RenderedForRecipient } from '../../../src/emails/delivery/email-rendering.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import { ProviderCalls } from '../../../src/emails/delivery/provider-calls.js';
import type { ProviderRate } from '../../../src/emails/delivery/provider-rate.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import type { DeliveryOutcome, DeliveryProvider } from '../../../src/providers/provider.js';
import { noTracing } from '../../../src/platform/tracing/tracing.js';
import { eventually } from '../../support/eventually.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';
import {
  ACCEPTED,
  clock,
  deliver,
  providerInUse,
  providerWorker,
  REFUSED,
  THROTTLED,
  UNKNOWN,
  workerWith,
  WRONG_KEY,
  type ProviderWorker,
} from './provider-worker.js';

let redis: RedisConnection;
beforeAll(async () => void (redis = await connectToTestRedis()));
afterAll(() => redis.disconnect());
beforeEach(() => redis.flushdb());

/** A worker after an unknown outcome. */
async function suspecting(others: Partial<DeliveryProvider> = {}): Promise<ProviderWorker> {
  const one = providerWorker(redis, others);
  await one.providers.note(one.inUse, UNKNOWN, 'acme');
  return one;
}

const responding = (outcome: DeliveryOutcome) => ({ callWithoutEmail: () => Promise.resolve(outcome) });

/** Begins to deliver an email. */
function begin(one: Pick<ProviderWorker, 'providers'>) {
  let end!: (outcome: DeliveryOutcome) => void;
  const outcome = new Promise<DeliveryOutcome>((resolve) => (end = resolve));
  return { ended: deliver(one, outcome), end };
}

it('no email is passed while calls without one have no known outcome, except for one before the pause', async () => {
  const one = await suspecting(responding(UNKNOWN));
  for (let call = 2; call <= 4; call++) {
    const { calls, outcome } = await deliver(one, ACCEPTED);
    expect([calls, outcome]).toEqual([0, expect.objectContaining({ kind: 'throttled', pauseMs: 1_000 })]);
  }
  expect(one.pause.failure.isFailing).toBe(false);
  expect((await deliver(one, UNKNOWN)).calls).toBe(1);
  expect(one.pause.failure.isFailing).toBe(true);
});

it('the one before the pause is no email in doubt', async () => {
  const one = await suspecting(responding(UNKNOWN));
  for (let call = 2; call <= 5; call++) expect((await deliver(one, ACCEPTED, 'smtp')).calls).toBe(0);
  expect(one.pause.failure.isFailing).toBe(true);
});

it.each([REFUSED, WRONG_KEY, THROTTLED])('emails are passed if a call without one returns %o', async (outcome) => {
  const one = await suspecting(responding(outcome));
  expect((await deliver(one, ACCEPTED)).calls).toBe(1);
  expect(one.pause.failure.isSuspect).toBe(false);
});

it('calls are made one at a time until an email is accepted, also one of an earlier call', async () => {
  const one = await suspecting();
  const first = begin(one);
  const others = Array.from({ length: 4 }, () => deliver(one, ACCEPTED));
  const passed = others.map((other) => other.then(({ calls }) => calls));
  expect(await Promise.race([...passed, redis.ping()])).toBe('PONG');
  await one.providers.note(one.inUse, ACCEPTED, 'acme');
  expect(await Promise.all(passed)).toEqual([1, 1, 1, 1]);
  first.end(ACCEPTED);
  expect((await first.ended).calls).toBe(1);
});

it('only one of the emails that wait is passed when a call ends with an unknown outcome', async () => {
  const one = await suspecting();
  const first = begin(one);
  const second = begin(one);
  const passed = Array.from({ length: 4 }, () => deliver(one, ACCEPTED).then(({ calls }) => calls));
  first.end(UNKNOWN);
  await first.ended;
  expect(await Promise.race([...passed, redis.ping()])).toBe('PONG');
  second.end(ACCEPTED);
  expect(await Promise.all(passed)).toEqual([1, 1, 1, 1]);
  expect((await second.ended).calls).toBe(1);
});

it('a call that hangs holds up others for a short time only, and those whose turn comes too late wait in their queue', async () => {
  const one = await suspecting();
  const hanging = begin(one);
  expect((await deliver(one, REFUSED)).calls).toBe(1);
  const others = Array.from({ length: 5 }, () => begin(one));
  const late = await Promise.race(others.map(({ ended }) => ended));
  expect([late.calls, late.outcome]).toEqual([0, expect.objectContaining({ kind: 'throttled', pauseMs: 1_000 })]);
  for (const { end } of [hanging, ...others]) end(UNKNOWN);
  await Promise.all([hanging, ...others].map(({ ended }) => ended));
});

it('mail goes to another provider at once while a call of the suspect one is under way', async () => {
  const { inUse, providers } = await suspecting();
  const both = workerWith(redis, inUse, providerInUse(redis, 'other'));
  const first = begin({ providers });
  expect((await deliver(both, ACCEPTED)).called).toEqual(['other']);
  first.end(ACCEPTED);
  expect((await first.ended).called).toEqual(['smtp']);
});

it('emails that wait for their turn go on as soon as another worker found the provider failing', async () => {
  const one = await suspecting();
  let end!: () => void;
  const first = one.pause.failure.inTurn(() => new Promise<void>((resolve) => (end = resolve)), 2_000);
  const waiting = one.pause.failure.inTurn(() => Promise.resolve('called'), 2_000);
  const other = providerWorker(redis);
  for (let call = 0; call < 5; call++) await other.pause.failure.outcomeUnknown('acme');
  clock.time += 1_000;
  await one.pause.remainingMs();
  expect(await Promise.race([waiting, redis.ping()])).toBe('called');
  end();
  await first;
});

it('an email takes no token of the limit while it waits for its turn', async () => {
  const { inUse } = await suspecting();
  let tokens = 0;
  const rate = { take: () => Promise.resolve(tokens++ * 0) } as unknown as ProviderRate;
  const limited = workerWith(redis, { ...inUse, rate });
  const first = begin(limited);
  await eventually(() => tokens === 1);
  const second = begin(limited);
  second.end(ACCEPTED);
  expect(await Promise.race([second.ended, redis.ping()])).toBe('PONG');
  expect(tokens).toBe(1);
  first.end(ACCEPTED);
  await Promise.all([first.ended, second.ended]);
  expect(tokens).toBe(2);
});

it('emails that waited for the limit go on one at a time if the provider became suspect meanwhile', async () => {
  const { inUse, pause } = providerWorker(redis);
  const emails = 10;
  let asked = 0;
  const take = async () => {
    asked += 1;
    if (asked === emails) await pause.failure.outcomeUnknown('acme');
    return asked <= emails ? 1 : 0;
  };
  const { providers } = workerWith(redis, { ...inUse, rate: { take } as unknown as ProviderRate });
  let [running, most, calls] = [0, 0, 0];
  const call = async () => {
    calls += 1;
    running += 1;
    most = Math.max(most, running);
    await redis.ping();
    running -= 1;
    return { outcome: REFUSED, stays: false };
  };
  const email = { id: 'email', doubtfulProvider: null, providerOfOthers: null, message: { organizationId: 'acme' } };
  await Promise.all(Array.from({ length: emails }, () => providers.deliver(email, call, 10_000)));
  expect({ calls, most }).toEqual({ calls: emails, most: 1 });
});

it('an email that waits for the limit holds no turn', async () => {
  const { inUse } = await suspecting();
  const waits = [500];
  const rate = { take: () => Promise.resolve(waits.shift() ?? 0) } as unknown as ProviderRate;
  const first = deliver(workerWith(redis, { ...inUse, rate }), REFUSED);
  await eventually(() => waits.length === 0);
  await setImmediate();
  expect(await inUse.pause.failure.inTurn(() => Promise.resolve('free'), 0)).toBe('free');
  await first;
});

it('the deadline of an email begins with its call, not with the wait for its turn', async () => {
  const aborted: boolean[] = [];
  const take = (_: unknown, signal: AbortSignal) => {
    aborted.push(signal.aborted);
    return Promise.resolve(ACCEPTED);
  };
  const one = await suspecting({ deliver: take });
  const timeoutMs = 5;
  const metrics = { observe: (_: unknown, call: () => Promise<DeliveryOutcome>) => call() };
  const slots = { observe: (call: () => Promise<DeliveryOutcome>) => call() };
  const parts = [{ DELIVERY_TIMEOUT_MS: timeoutMs }, metrics, slots, noTracing];
  const calls = new ProviderCalls(...(parts as unknown as ConstructorParameters<typeof ProviderCalls>));
  let end!: () => void;
  const first = one.pause.failure.inTurn(() => new Promise<void>((resolve) => (end = resolve)), 2_000);
  const email = { id: 'email', doubtfulProvider: null, providerOfOthers: null, attempts: 0, message: {} };
  const claim = { name: () => undefined, allowsHandOver: () => Promise.resolve(true) };
  const outcome = calls.deliver(one.providers, email as unknown as LoadedEmail, {} as RenderedForRecipient, claim);
  const deadline = AbortSignal.timeout(timeoutMs);
  await once(deadline, 'abort');
  end();
  await first;
  expect(await outcome).toBe(ACCEPTED);
  expect(aborted).toEqual([false]);
});
