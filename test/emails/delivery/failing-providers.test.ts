import { connectForCommands, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { DeliveryProviders, type ProviderInUse } from '../../../src/emails/delivery/delivery-providers.js';
import { ProviderPause } from '../../../src/emails/delivery/provider-pause.js';
import type { DeliveryOutcome, DeliveryProvider } from '../../../src/providers/provider.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { createTestRedis } from '../../support/services.js';

const KEY = '{mailbeacon}:provider-pause:smtp';
const clock = { time: 1_000_000, now: () => clock.time };
const { logger } = new CapturedLog('info', ['worker']);

let redis: RedisConnection;
beforeAll(async () => {
  redis = connectForCommands((await createTestRedis()).url);
  await eventually(() => redis.status === 'ready');
});
afterAll(() => redis.disconnect());
beforeEach(() => redis.flushdb());

/** A worker with its own view of the provider. */
function worker(): { providers: DeliveryProviders; inUse: ProviderInUse; pause: ProviderPause } {
  const pause = new ProviderPause('smtp', redis, clock, logger);
  const inUse = { id: 'smtp', provider: { name: 'smtp' } as DeliveryProvider, pause };
  return { providers: new DeliveryProviders([inUse], redis, clock, logger), inUse, pause };
}

const UNKNOWN: DeliveryOutcome = { kind: 'ambiguous', reason: 'cut' };
const REFUSED: DeliveryOutcome = { kind: 'refused', reason: 'no such sender' };
const THROTTLED: DeliveryOutcome = { kind: 'throttled', reason: 'slow down', pauseMs: 1_000 };
const ACCEPTED: DeliveryOutcome = { kind: 'accepted', providerId: 'p' };

it.each([
  ['a refusal, which may be our own', REFUSED],
  ['a limit', THROTTLED],
])('%s between unknown outcomes does not hide that a provider fails', async (_, outcome) => {
  const { providers, inUse, pause } = worker();
  for (let call = 0; call < 5; call++) {
    await providers.note(inUse, UNKNOWN, 'acme');
    await providers.note(inUse, outcome, 'acme');
  }
  expect(pause.isFailing).toBe(true);
});

it('only an accepted email shows that a failing provider works again', async () => {
  const { providers, inUse, pause } = worker();
  for (let call = 0; call < 5; call++) await providers.note(inUse, UNKNOWN, 'acme');
  for (const outcome of [REFUSED, THROTTLED]) await providers.note(inUse, outcome, 'acme');
  expect([pause.isFailing, await redis.get(KEY)]).toEqual([true, 'failing']);
  await providers.note(inUse, ACCEPTED, 'acme');
  expect(pause.isFailing).toBe(false);
  await eventually(async () => (await redis.exists(KEY)) === 0);
});

it('a pause that a worker read before the provider began to fail does not end that', async () => {
  const { pause } = worker();
  for (let call = 0; call < 4; call++) await pause.unanswered('acme');
  clock.time += 1_000;
  await Promise.all([pause.remainingMs(), pause.unanswered('acme')]);
  expect(pause.isFailing).toBe(true);
  expect(await worker().pause.remainingMs()).toBeGreaterThan(8_000);
});

it('a worker that does not know yet that a provider works again begins no pause', async () => {
  const [one, other] = [worker(), worker()];
  for (let call = 0; call < 5; call++) await one.pause.unanswered('acme');
  clock.time += 1_000;
  await other.pause.remainingMs();
  one.pause.accepted();
  await eventually(async () => (await redis.exists(KEY)) === 0);
  expect(other.pause.isFailing).toBe(true);
  expect(await other.pause.probe({ organizationId: 'globex' })).toBe(0);
  expect(await redis.exists(KEY)).toBe(0);
  expect([other.pause.isFailing, other.pause.currentCause]).toEqual([false, undefined]);
});
