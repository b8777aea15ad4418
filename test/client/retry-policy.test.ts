import fc from 'fast-check';
import { isWorthRetrying, parseRetryAfter, retryDelayMs } from '../../packages/client/src/retry-policy.js';

const random = fc.double({ min: 0, max: 1, noNaN: true });
const failed = fc.integer({ min: 1, max: 50 });

it('waits at least as long as the service requests, and little longer', () => {
  fc.assert(
    fc.property(failed, fc.nat(60_000), random, (attempts, retryAfterMs, chance) => {
      const delay = retryDelayMs(attempts, retryAfterMs, chance);
      expect(delay).toBeGreaterThanOrEqual(retryAfterMs);
      expect(delay).toBeLessThanOrEqual(retryAfterMs + 500);
    }),
  );
});

it('otherwise waits longer after each failure, up to 8 seconds, spread over half of the time', () => {
  fc.assert(
    fc.property(failed, random, (attempts, chance) => {
      const longest = Math.min(8_000, 500 * 2 ** (attempts - 1));
      const delay = retryDelayMs(attempts, undefined, chance);
      expect(delay).toBeGreaterThanOrEqual(longest / 2);
      expect(delay).toBeLessThanOrEqual(longest);
    }),
  );
});

it('reads Retry-After in seconds and as a date', () => {
  const now = Date.parse('2026-03-01T09:30:00Z');
  fc.assert(fc.property(fc.nat(), (seconds) => expect(parseRetryAfter(String(seconds), now)).toBe(seconds * 1000)));
  expect(parseRetryAfter('Sun, 01 Mar 2026 09:30:07 GMT', now)).toBe(7_000);
  expect(parseRetryAfter('Sun, 01 Mar 2026 09:29:00 GMT', now)).toBe(0);
  for (const nothing of [null, 'soon', '', '-5', '5.5', 'in 3000'])
    expect(parseRetryAfter(nothing, now)).toBeUndefined();
});

it.each([502, 503, 504, 520, 521, 522, 523, 524, 527])(
  'a proxy that responds %d may have passed the request on: only a call that is safe to repeat is retried',
  (status) => {
    const attempt = { status, retryAfterMs: undefined };
    expect(isWorthRetrying({ ...attempt, isRepeatable: true })).toBe(true);
    expect(isWorthRetrying({ ...attempt, isRepeatable: false })).toBe(false);
  },
);

it.each([500, 501, 525, 526, 528])('the response %d will be the same again, so no call is retried', (status) => {
  expect(isWorthRetrying({ status, retryAfterMs: undefined, isRepeatable: true })).toBe(false);
});
