import fc from 'fast-check';
import { guardVerdict, type GuardLimits, type SendingCounts } from '../../../src/organizations/guard/guard-verdict.js';

const limits: GuardLimits = {
  ...{ GUARD_BOUNCE_SLOW: 0.05, GUARD_BOUNCE_PAUSE: 0.1, GUARD_COMPLAINT_SLOW: 0.001, GUARD_COMPLAINT_PAUSE: 0.003 },
  GUARD_MIN_SENT: 200,
};

const counts = (more: Partial<SendingCounts>): SendingCounts => ({
  ...{ domain: null, hours: 24, sent: 1_000, bounced: 0, complained: 0 },
  ...more,
});

it.each<[Partial<SendingCounts>, string | undefined]>([
  [{}, undefined],
  [{ bounced: 49 }, undefined],
  [{ bounced: 50 }, 'slowed'],
  [{ bounced: 99 }, 'slowed'],
  [{ bounced: 100 }, 'paused'],
  [{ complained: 1 }, 'slowed'],
  [{ complained: 3 }, 'paused'],
  [{ sent: 200, complained: 1 }, 'slowed'],
  [{ sent: 200, complained: 2 }, 'slowed'],
  [{ sent: 200, complained: 3 }, 'paused'],
  [{ sent: 199, bounced: 199, complained: 199 }, undefined],
  [{ sent: 200, bounced: 10 }, 'slowed'],
  [{ sent: 200, bounced: 20 }, 'paused'],
])('%j is %s', (more, state) => {
  expect(guardVerdict([counts(more)], limits)?.state).toBe(state);
});

it('takes the strictest of all windows and domains, and says which', () => {
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
    GUARD_BOUNCE_SLOW: 1,
    GUARD_BOUNCE_PAUSE: 1,
    GUARD_COMPLAINT_SLOW: 1,
    GUARD_COMPLAINT_PAUSE: 1,
  };
  expect(guardVerdict([counts({ bounced: 1_000, complained: 1_000 })], off)).toBeUndefined();
});

it('is never milder for more bounces and complaints', () => {
  const strictness = [undefined, 'slowed', 'paused'];
  const number = fc.nat({ max: 5_000 });
  fc.assert(
    fc.property(number, number, number, number, number, (sent, bounced, complained, more, others) => {
      const few = guardVerdict([counts({ sent, bounced, complained })], limits)?.state;
      const many = guardVerdict([counts({ sent, bounced: bounced + more, complained: complained + others })], limits);
      expect(strictness.indexOf(many?.state)).toBeGreaterThanOrEqual(strictness.indexOf(few));
    }),
  );
});
