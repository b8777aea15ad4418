import fc from 'fast-check';
import { RETRY_HORIZON_MS, emailRetryDelayMs } from '../../../src/emails/delivery/retry-schedule.js';

const HOUR_MS = 3_600_000;

describe('retryDelayMs', () => {
  it('waits about a second before the first retry and about half an hour before the last ones', () => {
    expect(emailRetryDelayMs(1, 0.5)).toBe(1_000);
    expect(emailRetryDelayMs(30, 0.5)).toBe(HOUR_MS / 2);
  });

  it('spreads over the whole interval (full jitter), never beyond an hour', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const delay = emailRetryDelayMs(attempt, random);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(Math.min(HOUR_MS, 2_000 * 2 ** (attempt - 1)));
        },
      ),
    );
  });

  it('makes a bounded number of attempts within the horizon', () => {
    let waited = 0;
    let attempts = 0;
    while (waited < RETRY_HORIZON_MS) waited += emailRetryDelayMs(++attempts, 0.5);
    expect(attempts).toBeGreaterThan(40);
    expect(attempts).toBeLessThan(80);
  });
});
