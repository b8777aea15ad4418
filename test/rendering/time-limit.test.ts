import fc from 'fast-check';
import { TimeLimit } from '../../src/rendering/time-limit.js';

const LIMIT_MS = 2_000;

/** Runs a task forever on a host that gives its thread a share of a processor. @returns when the limit ended it */
function endOf(share: number | undefined): number {
  const limit = new TimeLimit(LIMIT_MS);
  let now = 0;
  for (;;) {
    const remainingMs = limit.remainingMs(now, () => share && 500 + now * share);
    if (remainingMs === 0) return now;
    now += remainingMs;
  }
}

describe('TimeLimit', () => {
  it('ends a task at the limit if it has a processor, or if the system does not count processor time', () => {
    expect(endOf(1)).toBe(LIMIT_MS);
    expect(endOf(undefined)).toBe(LIMIT_MS);
  });

  it('gives a task on a busy host the processor time of the second half, and at most five times the limit', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1, noNaN: true }), (share) => {
        const expected = Math.min(LIMIT_MS / 2 + LIMIT_MS / 2 / share, 5 * LIMIT_MS);
        expect(endOf(share)).toBeGreaterThanOrEqual(expected - 1);
        expect(endOf(share)).toBeLessThanOrEqual(expected + 20);
      }),
    );
  });

  it('gives a task its second half even if the first check is late', () => {
    const limit = new TimeLimit(LIMIT_MS);
    expect(limit.remainingMs(3 * LIMIT_MS, () => 40)).toBe(LIMIT_MS / 2);
    expect(limit.remainingMs(3.5 * LIMIT_MS, () => 40)).toBe(LIMIT_MS / 2);
    expect(limit.remainingMs(4 * LIMIT_MS, () => 40 + LIMIT_MS / 2)).toBe(0);
  });
});
