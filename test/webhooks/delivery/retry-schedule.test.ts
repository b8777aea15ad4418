import fc from 'fast-check';
import { readRetryAfter, webhookRetryDelayMs } from '../../../src/webhooks/delivery/retry-schedule.js';
import { DAY, HOUR, MINUTE, SECOND } from '../webhook-bench.js';

const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('the schedule of retries', () => {
  it('waits as documented, and never less', () => {
    const waits = Array.from({ length: 10 }, (_, retries) => webhookRetryDelayMs(retries, 0, 0));
    expect(waits).toEqual([
      ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
      undefined,
    ]);
  });

  it('adds up to a fifth at random, and never retries sooner than the receiver requests', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 0, max: DAY }),
        random,
        (retries, requestedMs, chance) => {
          const least = webhookRetryDelayMs(retries, 0, 0)!;
          const delay = webhookRetryDelayMs(retries, requestedMs, chance)!;
          expect(delay).toBeGreaterThanOrEqual(Math.max(least, requestedMs));
          expect(delay).toBeLessThanOrEqual(Math.max(Math.ceil(least * 1.2), requestedMs));
        },
      ),
    );
  });

  it('has no tenth retry, even if the receiver requests one', () =>
    expect(webhookRetryDelayMs(9, HOUR, 0.5)).toBeUndefined());
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');

  it.each([
    ['120', 120 * SECOND],
    [' 5 ', 5 * SECOND],
    ['0', 0],
    ['86401', DAY],
    ['99999999999999999999', DAY],
    ['Sun, 01 Mar 2026 12:10:00 GMT', 10 * MINUTE],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Thu, 01 Jan 2099 00:00:00 GMT', DAY],
    ['soon', 0],
    ['-5', 0],
    ['5.5', 0],
    ['in 3000', 0],
    ['', 0],
  ])('%s is %i ms', (header, milliseconds) => expect(readRetryAfter(header, now)).toBe(milliseconds));

  it('is undefined if it is missing', () => expect(readRetryAfter(undefined, now)).toBe(0));

  it('is between nothing and a day for every text', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const milliseconds = readRetryAfter(header, now);
        expect(milliseconds).toBeGreaterThanOrEqual(0);
        expect(milliseconds).toBeLessThanOrEqual(DAY);
      }),
    );
  });
});
