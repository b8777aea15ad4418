import fc from 'fast-check';
import {
  guardVerdict,
  lowestLimits,
  type GuardLimits,
  type SendingCounts,
} from '../../../src/organizations/guard/guard-verdict.js';

const limits: GuardLimits = {
  ...{ GUARD_BOUNCE_WARN: 0.05, GUARD_BOUNCE_SLOW: 0.075, GUARD_BOUNCE_PAUSE: 0.1 },
  ...{ GUARD_COMPLAINT_WARN: 0.001, GUARD_COMPLAINT_SLOW: 0.002, GUARD_COMPLAINT_PAUSE: 0.003 },
  GUARD_MIN_SENT: 200,
};

const counts = (more: Partial<SendingCounts>): SendingCounts => ({
  ...{ domain: null, hours: 24, sent: 1_000, bounced: 0, complained: 0 },
  ...more,
});

it.each<[Partial<SendingCounts>, string | undefined]>([
  [{}, undefined],
  [{ bounced: 49 }, undefined],
  [{ bounced: 50 }, 'warned'],
  [{ bounced: 74 }, 'warned'],
  [{ bounced: 75 }, 'slowed'],
  [{ bounced: 99 }, 'slowed'],
  [{ bounced: 100 }, 'paused'],
  [{ complained: 1 }, 'warned'],
  [{ complained: 2 }, 'slowed'],
  [{ complained: 3 }, 'paused'],
  [{ sent: 200, complained: 1 }, 'warned'],
  [{ sent: 200, complained: 2 }, 'slowed'],
  [{ sent: 200, complained: 3 }, 'paused'],
  [{ sent: 199, bounced: 199, complained: 199 }, undefined],
  [{ sent: 200, bounced: 10 }, 'warned'],
  [{ sent: 200, bounced: 15 }, 'slowed'],
  [{ sent: 200, bounced: 20 }, 'paused'],
])('%j is %s', (more, state) => {
  expect(guardVerdict([counts(more)], limits)?.state).toBe(state);
});

it('takes the strictest of all windows and domains, and reports which', () => {
  const verdict = guardVerdict(
    [counts({ hours: 168, bounced: 60 }), counts({ hours: 1, domain: 'acme.example', sent: 400, bounced: 50 })],
    limits,
  );
  expect(verdict).toEqual({
    state: 'paused',
    reason: '12.5 % of 400 recipients of mail from acme.example bounced within the last hour, and the limit is 10 %',
    rates: [{ fact: 'bounced', domain: 'acme.example', hours: 1, sent: 400, count: 50, rate: 0.125, limit: 0.1 }],
  });
});

it('never reports more than 100 %, even if mail of an earlier hour bounces', () => {
  const verdict = guardVerdict([counts({ hours: 1, sent: 200, bounced: 400 })], limits);
  expect(verdict?.rates[0]).toMatchObject({ count: 400, rate: 1 });
  expect(verdict?.reason).toContain('100 % of 200 recipients');
});

it('names all rates at the limit of its state, but never more than ten', () => {
  const rates = (more: readonly SendingCounts[]) =>
    guardVerdict(more, limits)?.rates.map(({ fact, hours }) => [fact, hours]);
  expect(rates([counts({ bounced: 60, complained: 1 }), counts({ hours: 168, bounced: 50 })])).toEqual([
    ['complained', 24],
    ['bounced', 24],
    ['bounced', 168],
  ]);
  expect(rates(Array.from({ length: 30 }, (_, hours) => counts({ hours, bounced: 60 })))).toHaveLength(10);
});

it('never lets a limit of 1 apply', () => {
  const off = {
    ...limits,
    ...{ GUARD_BOUNCE_WARN: 1, GUARD_BOUNCE_SLOW: 1, GUARD_BOUNCE_PAUSE: 1 },
    ...{ GUARD_COMPLAINT_WARN: 1, GUARD_COMPLAINT_SLOW: 1, GUARD_COMPLAINT_PAUSE: 1 },
  };
  expect(guardVerdict([counts({ bounced: 1_000, complained: 1_000 })], off)).toBeUndefined();
});

it('is never milder for more bounces and complaints', () => {
  const strictness = [undefined, 'warned', 'slowed', 'paused'];
  const number = fc.nat({ max: 5_000 });
  fc.assert(
    fc.property(number, number, number, number, number, (sent, bounced, complained, more, others) => {
      const few = guardVerdict([counts({ sent, bounced, complained })], limits)?.state;
      const many = guardVerdict([counts({ sent, bounced: bounced + more, complained: complained + others })], limits);
      expect(strictness.indexOf(many?.state)).toBeGreaterThanOrEqual(strictness.indexOf(few));
    }),
  );
});

it('finds nothing below the lowest limits, and something at a limit that is lower than that of a milder state', () => {
  const limit = fc.double({ min: 0.001, max: 0.999, noNaN: true });
  const all = fc.tuple(limit, limit, limit, limit, limit, limit);
  fc.assert(
    fc.property(all, fc.nat({ max: 2_000 }), fc.nat({ max: 2_000 }), ([w, s, p, cw, cs, cp], bounced, complained) => {
      const any: GuardLimits = {
        ...{ GUARD_BOUNCE_WARN: w, GUARD_BOUNCE_SLOW: s, GUARD_BOUNCE_PAUSE: p, GUARD_MIN_SENT: 200 },
        ...{ GUARD_COMPLAINT_WARN: cw, GUARD_COMPLAINT_SLOW: cs, GUARD_COMPLAINT_PAUSE: cp },
      };
      const lowest = lowestLimits(any);
      const verdict = guardVerdict([counts({ sent: 2_000, bounced, complained })], any);
      const isBelow = bounced / 2_000 < lowest.bounces && complained / 2_000 < lowest.complaints;
      if (isBelow) expect(verdict).toBeUndefined();
      if (bounced / 2_000 >= lowest.bounces) expect(verdict).toBeDefined();
    }),
  );
});
