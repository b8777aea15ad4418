import { HitLimiter } from '../../../src/platform/rate-limit/hit-limiter.js';

const LIMIT = 5;
const KEYS = 20_000;

function afterHotKey(): HitLimiter {
  const limiter = new HitLimiter(LIMIT);
  for (let hit = 0; hit < 4 * LIMIT; hit++) limiter.allows('hot', 0);
  return limiter;
}

describe('the hit limiter', () => {
  it('allows the limit of hits of a key in a minute, and as many in the next', () => {
    const limiter = new HitLimiter(LIMIT);
    const hits = (now: number) =>
      Array.from({ length: LIMIT + 3 }, () => limiter.allows('key', now)).filter(Boolean).length;
    expect([hits(0), hits(59_999), hits(60_000)]).toEqual([LIMIT, 0, LIMIT]);
  });

  it('starts again when the clock is set back by more than a minute', () => {
    const limiter = new HitLimiter(1);
    expect([limiter.allows('key', 600_000), limiter.allows('key', 600_000), limiter.allows('key', 500_000)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('does not limit a key that shares one of its two slots with a hot key', () => {
    // Among 400,000 keys, some six share each slot of the hot one; so few at a time fill no slots themselves.
    for (let round = 0; round < 20; round++) {
      const limiter = afterHotKey();
      const keys = Array.from({ length: KEYS }, (_, index) => `cold-${round * KEYS + index}`);
      expect(keys.filter((key) => !limiter.allows(key, 0))).toEqual([]);
    }
  });
});
