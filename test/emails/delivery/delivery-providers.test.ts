import { once } from 'node:events';
import { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import type { ProviderInUse } from '../../../src/emails/delivery/provider-in-use.js';
import type { ProviderFailure } from '../../../src/emails/delivery/provider-failure.js';
import type { ProviderPause } from '../../../src/emails/delivery/provider-pause.js';
import type { ProviderRate } from '../../../src/emails/delivery/provider-rate.js';
import { ALL_PAUSED_KEY, type PauseCause } from '../../../src/emails/delivery/provider-pause-key.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import { CapturedLog } from '../../support/captured-log.js';
import type { DeliveryOutcome, DeliveryProvider } from '../../../src/providers/provider.js';

const ACCEPTED: DeliveryOutcome = { kind: 'accepted', providerId: 'p' };
const THROTTLED: DeliveryOutcome = { kind: 'throttled', reason: 'slow down', pauseMs: 9_000 };
const WRONG_KEY: DeliveryOutcome = { kind: 'credential-refused', reason: 'wrong key' };
const UNREACHABLE: DeliveryOutcome = { kind: 'retry', reason: 'nobody listens', unreachable: true };

let now: number;
let calls: string[];
let written: unknown[][];
let log: CapturedLog;
beforeEach(() => {
  log = new CapturedLog('info', ['worker']);
  now = 1_000;
  [calls, written] = [[], []];
});
const clock = { now: () => now };
const redis = {
  set: (...values: unknown[]) => Promise.resolve(written.push(values)),
} as unknown as RedisConnection;

const WORKS = {
  inTurn: (call: () => unknown) => call(),
  outcomeUnknown: () => Promise.resolve(),
  isFailing: false,
};

/** A pause in memory. @param shown what unknown outcomes have shown */
function pauseOf(shown: object = {}): ProviderPause {
  let until = 0;
  let cause: PauseCause | undefined;
  const pause: Partial<ProviderPause> = {
    failure: { ...WORKS, ...shown } as unknown as ProviderFailure,
    begin: (milliseconds, begins) => Promise.resolve(void ([until, cause] = [now + milliseconds, begins])),
    accepted: () => undefined,
    get currentCause() {
      return until > now ? cause : undefined;
    },
    remainingMs: () => Promise.resolve(Math.max(0, until - now)),
    hasLasted: () => until > now,
  };
  return pause as ProviderPause;
}

const provider = (id: string, others: Partial<ProviderInUse> = {}): ProviderInUse => ({
  id,
  provider: { name: id } as DeliveryProvider,
  pause: pauseOf(),
  ...others,
});

/** Delivers one email with these outcomes of providers. */
function deliver(
  providers: DeliveryProviders,
  outcomes: Record<string, DeliveryOutcome>,
  { doubtfulProvider = null, denied = false }: { doubtfulProvider?: string | null; denied?: boolean } = {},
): Promise<DeliveryOutcome> {
  const call = ({ id }: ProviderInUse) => {
    calls.push(id);
    return Promise.resolve({ outcome: outcomes[id]!, stays: denied });
  };
  return providers.deliver(
    { id: 'email', doubtfulProvider, providerOfOthers: null, message: { organizationId: 'acme' } },
    call,
    10_000,
  );
}

const use = (...all: ProviderInUse[]) => new DeliveryProviders(all, redis, clock, log.logger);

it.each([
  ['throttles', THROTTLED],
  ['refuses the credential', WRONG_KEY],
  ['cannot be reached', UNREACHABLE],
  ['defers the email', { kind: 'retry', reason: '451 later' } as DeliveryOutcome],
])('moves an email at once when a provider %s', async (_, outcome) => {
  expect(await deliver(use(provider('a'), provider('b')), { a: outcome, b: ACCEPTED })).toBe(ACCEPTED);
  expect(calls).toEqual(['a', 'b']);
});

it.each([
  ['an unknown outcome', { kind: 'ambiguous', reason: 'cut' }],
  ['a refusal', { kind: 'refused', reason: 'no' }],
  [
    'results of some recipients',
    { kind: 'retry', reason: 'busy', recipients: [{ address: 'a@b.c', state: 'refused' }] },
  ],
] as const)('moves no email after %s', async (_, outcome) => {
  expect(await deliver(use(provider('a'), provider('b')), { a: outcome, b: ACCEPTED })).toBe(outcome);
  expect(calls).toEqual(['a']);
});

it('calls no other provider once the time is over, after a wait for its turn', async () => {
  let passed!: Promise<unknown>;
  let tokens = 0;
  const rate = { take: () => Promise.resolve(tokens++ * 0) } as unknown as ProviderRate;
  const late = pauseOf({ inTurn: (call: () => unknown) => passed.then(call) });
  const call = ({ id }: ProviderInUse, signal: AbortSignal) => {
    calls.push(id);
    passed = once(signal, 'abort');
    return Promise.resolve({ outcome: UNREACHABLE, stays: false });
  };
  const email = { id: 'email', doubtfulProvider: null, providerOfOthers: null, message: { organizationId: 'acme' } };
  const providers = use(provider('a'), provider('b', { pause: late, rate }));
  expect(await providers.deliver(email, call, 1)).toBe(UNREACHABLE);
  expect({ calls, tokens }).toEqual({ calls: ['a'], tokens: 0 });
});

it('moves no email that this worker may not send', async () => {
  const providers = use(provider('a'), provider('b'));
  for (let n = 0; n < 4; n++) await deliver(providers, { a: UNREACHABLE, b: ACCEPTED }, { denied: true });
  // Nor does that count against the provider.
  expect(calls).toEqual(['a', 'a', 'a', 'a']);
});

/** A provider that leaves open whether it accepts emails. @param waitMs of the next email */
const failing = (id: string, waitMs: number) =>
  provider(id, { pause: pauseOf({ isFailing: true, probe: () => Promise.resolve({ waitMs, isForEmail: false }) }) });

it('passes one email to a failing provider, and others to the next one', async () => {
  expect(await deliver(use(failing('a', 0), provider('b')), { a: ACCEPTED })).toBe(ACCEPTED);
  expect(await deliver(use(failing('a', 9_000), provider('b')), { b: ACCEPTED })).toBe(ACCEPTED);
  expect(calls).toEqual(['a', 'b']);
});

it('asks again every 15 seconds for an email that a failing provider may have', async () => {
  const outcome = await deliver(use(failing('a', 100_000), provider('b')), {}, { doubtfulProvider: 'a' });
  expect(outcome).toMatchObject({ kind: 'throttled', pauseMs: 15_000 });
  expect(calls).toEqual([]);
});

it('skips a paused provider, and returns to it afterwards', async () => {
  const providers = use(provider('a'), provider('b'));
  for (const outcome of [THROTTLED, ACCEPTED]) await deliver(providers, { a: outcome, b: ACCEPTED });
  expect(calls).toEqual(['a', 'b', 'b']);
  expect(await providers.remainingMs()).toBe(0);
  now += 9_001;
  await deliver(providers, { a: ACCEPTED });
  expect(calls.at(-1)).toBe('a');
});

it('reports a pause for everyone once all are paused, until the first one resumes', async () => {
  const providers = use(provider('a'), provider('b'));
  const outcome = await deliver(providers, { a: THROTTLED, b: WRONG_KEY });
  // The email is tried again when the first pause ends.
  expect(outcome).toEqual({ kind: 'throttled', reason: 'wrong key', pauseMs: 9_000 });
  expect(written).toEqual([[ALL_PAUSED_KEY, 'credential-refused', 'PX', 9_000]]);
  expect(await providers.remainingMs()).toBe(9_000);
  expect(await deliver(providers, {})).toMatchObject({ kind: 'throttled', reason: 'The provider is paused' });
  expect(calls).toEqual(['a', 'b']);
});

it('tries a provider without a connection last for a while', async () => {
  const providers = use(provider('a'), provider('b'));
  for (let n = 0; n < 4; n++) await deliver(providers, { a: UNREACHABLE, b: ACCEPTED });
  expect(calls).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'b']);
  calls = [];
  await deliver(providers, { b: THROTTLED, a: ACCEPTED });
  expect(calls).toEqual(['b', 'a']);
  now += 30_001;
  calls = [];
  await deliver(providers, { a: ACCEPTED });
  expect(calls).toEqual(['a']);
  expect(log.text.match(/"provider":"a","msg":"[^"]*"/g)).toEqual([
    '"provider":"a","msg":"The provider cannot be reached: other providers are tried first"',
    '"provider":"a","msg":"The provider can be reached again"',
  ]);
});

describe('an email that a provider may have already', () => {
  it('goes to no other provider, even while that one is paused', async () => {
    const providers = use(provider('a'), provider('b'));
    await deliver(providers, { b: ACCEPTED }, { doubtfulProvider: 'b' });
    await deliver(providers, { b: THROTTLED }, { doubtfulProvider: 'b' });
    const outcome = await deliver(providers, {}, { doubtfulProvider: 'b' });
    expect([outcome.kind, calls]).toEqual(['throttled', ['b', 'b']]);
  });

  it('goes to any provider once that one is no longer configured', async () => {
    await deliver(use(provider('a')), { a: ACCEPTED }, { doubtfulProvider: 'gone' });
    expect(calls).toEqual(['a']);
  });
});

describe('a provider with a limit', () => {
  const limited = (...waits: number[]): Partial<ProviderInUse> => ({
    rate: { take: () => Promise.resolve(waits.shift() ?? 0) } as unknown as ProviderRate,
  });

  it('is skipped over its limit, and waited for if it is the last', async () => {
    const providers = use(provider('a', limited(500)), provider('b', limited(5)));
    expect(await deliver(providers, { b: ACCEPTED })).toBe(ACCEPTED);
    expect(calls).toEqual(['b']);
  });

  it('holds the email and those after it if the wait is long, without a pause in other workers', async () => {
    const providers = use(provider('a', limited(60_000)));
    expect(await deliver(providers, {})).toMatchObject({ kind: 'throttled', pauseMs: 60_000 });
    expect(await providers.remainingMs()).toBe(60_000);
    expect(written).toEqual([]);
    now += 60_000;
    expect(await providers.remainingMs()).toBe(0);
  });

  it('takes emails one by one', async () => {
    const batch = { maxRecipients: 50 } as DeliveryProvider['batch'];
    const inBatches = { provider: { name: 'x', batch } as DeliveryProvider };
    const free = provider('a', inBatches);
    expect(await use(free).forBatch('email', false)).toBe(free);
    expect(await use(provider('a', { ...inBatches, ...limited() })).forBatch('email', false)).toBeUndefined();
    expect(use(provider('b'), free).maxRecipients).toBe(50);
    expect(use(provider('b')).maxRecipients).toBeUndefined();
  });
});
