import fc from 'fast-check';
import { AdaptiveLimit } from '../../../../src/emails/delivery/concurrency/adaptive-limit.js';
import { deliverBacklog, type Backlog, type ProviderModel } from './provider-model.js';

/** Pseudo-random numbers from 0 to 1, the same on every run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Latencies with this mean, between half of it and one and a half times it. */
function about(ms: number, seed: number): () => number {
  const next = chance(seed);
  return () => ms * (0.5 + next());
}

function withoutLimit(provider: () => ProviderModel, backlog: Backlog): { share: number; calls: number; all: number } {
  const limited = deliverBacklog(provider(), backlog);
  const unlimited = deliverBacklog(provider(), { ...backlog, adaptive: false });
  return { share: limited.speed / unlimited.speed, calls: limited.calls, all: unlimited.calls };
}

const seeds = fc.nat(1_000_000);
/** For providers whose speed varies, convergence in time depends on chance, so the random values are fixed. */
const SAME = { seed: 7, numRuns: 40 };
const latencies = fc.integer({ min: 20, max: 3_000 });

describe('the limit of a backlog', () => {
  it.each([200, 5_000])('keeps the throughput of a provider that accepts any number of calls for %d ms', (ms) => {
    const scaling = () => ({ servers: Infinity, serviceMs: () => ms });
    const { share, calls } = withoutLimit(scaling, { most: 20, emails: 2_000 });
    expect(share).toBeGreaterThan(0.97);
    expect(calls).toBeGreaterThan(19);
  });

  it('keeps the throughput of a provider that accepts any number of calls, at any latency', () => {
    fc.assert(
      fc.property(latencies, fc.integer({ min: 5, max: 50 }), seeds, (ms, most, seed) => {
        const scaling = () => ({ servers: Infinity, serviceMs: about(ms, seed) });
        return withoutLimit(scaling, { most, emails: 150 * most }).share > 0.93;
      }),
      SAME,
    );
  });

  it.each([1, 2])('falls to the number of calls that a provider with %d servers needs to be busy', (servers) => {
    fc.assert(
      fc.property(latencies, fc.integer({ min: 10, max: 50 }), (ms, most) => {
        const queueing = () => ({ servers, serviceMs: () => ms });
        const { share, calls } = withoutLimit(queueing, { most, emails: 4_000 });
        return share > 0.93 && calls < 2 * servers + 4;
      }),
      SAME,
    );
  });

  it('keeps the throughput with fewer calls in progress when the speed of a queueing provider varies', () => {
    fc.assert(
      fc.property(latencies, fc.integer({ min: 1, max: 4 }), seeds, (ms, servers, seed) => {
        const queueing = () => ({ servers, serviceMs: about(ms, seed) });
        const { share, calls, all } = withoutLimit(queueing, { most: 20, emails: 4_000 });
        return share > 0.93 && calls <= all;
      }),
      SAME,
    );
  });

  it('rises again when a provider that queued accepts any number of calls', () => {
    const queueing = () => ({ servers: 1, serviceMs: () => 200 });
    const later = { servers: Infinity, serviceMs: () => 200, afterEmails: 1_000 };
    expect(deliverBacklog(queueing(), { most: 20, emails: 11_000, later }).calls).toBeGreaterThan(18);
  });

  it('falls when a provider that accepted any number of calls starts to queue', () => {
    const scaling = { servers: Infinity, serviceMs: () => 200 };
    const later = { servers: 1, serviceMs: () => 20, afterEmails: 3_000 };
    expect(deliverBacklog(scaling, { most: 20, emails: 9_000, later }).calls).toBeLessThan(6);
  });
});

/** A limit that learned from a provider with one server, 10 ms per call. */
function learned(most = 20): { limit: AdaptiveLimit; now: number } {
  const limit = new AdaptiveLimit(most, 0);
  let now = 0;
  limit.observe(most, now);
  while (limit.limit > 1) {
    now += 10;
    limit.delivered(now, now);
    limit.observe(most, now);
  }
  return { limit, now };
}

describe('what the limit has learned', () => {
  it('is discarded once slots have been free for half a second', () => {
    const { limit, now } = learned();
    limit.observe(0, now);
    limit.observe(0, now + 500);
    expect(limit.limit).toBe(1);
    limit.observe(0, now + 501);
    expect(limit.limit).toBe(20);
  });

  it('is discarded when calls hang', () => {
    const { limit, now } = learned();
    limit.observe(20, now + 999);
    expect(limit.limit).toBe(1);
    limit.observe(20, now + 1_001);
    expect(limit.limit).toBe(20);
  });

  it('is discarded when the clock is put back', () => {
    const { limit, now } = learned();
    limit.observe(20, now - 3_600_000);
    expect(limit.limit).toBe(20);
    limit.delivered(now - 3_600_000, now - 3_599_999);
  });

  it('excludes deliveries that started under another limit', () => {
    const limit = new AdaptiveLimit(20, 0);
    limit.observe(20, 0);
    for (let now = 0; limit.limit === 20; now += 20) limit.delivered(now, now);
    const lowered = limit.limit;
    for (let n = 0; n < 1_000; n++) limit.delivered(0, 10_000);
    expect(limit.limit).toBe(lowered);
  });
});

it('never leaves the range from 1 to the maximum', () => {
  const event = fc.record({
    afterMs: fc.oneof(
      { arbitrary: fc.constant(0), weight: 20 },
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: -100_000, max: 1_000_000 }),
    ),
    lastedMs: fc.oneof(fc.nat(10_000), fc.constant(0)),
    held: fc.oneof(fc.nat(60), fc.constant(60)),
    deliveries: fc.nat(200),
    everyMs: fc.integer({ min: 20, max: 60 }),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(event, { maxLength: 300 }), (most, events) => {
      const limit = new AdaptiveLimit(most, 0);
      let now = 0;
      for (const { afterMs, lastedMs, held, deliveries, everyMs } of events) {
        now += afterMs;
        limit.observe(held, now);
        for (let n = 0; n < deliveries; n++) limit.delivered(now - lastedMs, (now += everyMs));
        if (!(limit.limit >= 1 && limit.limit <= most)) return false;
      }
      return true;
    }),
  );
});
