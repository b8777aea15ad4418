import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { PostgresClock } from '../../../src/platform/database/postgres-clock.js';
import { CapturedLog } from '../../support/captured-log.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** @param responseMs how long Postgres takes to respond */
async function follow(skewMs: number, responseMs = 0) {
  const log = new CapturedLog('warn', ['worker']);
  const sql = {
    prepared: async () => {
      const now = Date.now();
      await delay(responseMs);
      return [{ now }];
    },
  };
  const host = { skewMs, now: () => Date.now() + host.skewMs };
  const clock = await PostgresClock.follow(sql as never, host, log.logger);
  clock.stop();
  const at = Date.now();
  host.now = () => at + host.skewMs;
  return { differsMs: clock.now() - at, log };
}

it.each([100 * DAY_MS, -100 * DAY_MS, 5_000])(
  'corrects for a host whose clock is %d ms ahead, and logs it',
  async (skewMs) => {
    const { differsMs, log } = await follow(skewMs);
    // Half of the smallest error: a busy machine measures less precisely.
    expect(Math.abs(differsMs)).toBeLessThan(2_500);
    expect(log.text).toMatch(/clock of this host is wrong/);
  },
);

it.each([
  ['hardly differs', 900, 0],
  ['may differ only because Postgres responds late', 0, 2_100],
])('trusts the clock of a host that %s', async (_, skewMs, responseMs) => {
  const { differsMs, log } = await follow(skewMs, responseMs);
  expect(differsMs).toBe(skewMs);
  expect(log.text).toBe('');
});

describe('a later measurement', () => {
  const INTERVAL_MS = 10_000;
  let clock: PostgresClock;
  let responseMs: number;
  let isAway: boolean;
  let measurements: number;
  /** How long the host was suspended: its clock of the time that has passed stood still. */
  let pausedMs: number;
  const realNow = () => Date.now() + pausedMs;
  const host = { skewMs: 0, now: () => realNow() + host.skewMs };
  const differsMs = () => clock.now() - realNow();

  beforeEach(async () => {
    jest.useFakeTimers();
    responseMs = pausedMs = measurements = 0;
    isAway = false;
    host.skewMs = 5_000;
    const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const prepared = async () => {
      measurements += 1;
      if (isAway) throw new Error('Postgres is away');
      if (responseMs === 0) return [{ now: realNow() }];
      await wait(responseMs / 2);
      const now = realNow();
      await wait(responseMs / 2);
      return [{ now }];
    };
    clock = await PostgresClock.follow({ prepared } as never, host, new CapturedLog('warn', ['worker']).logger);
    expect(differsMs()).toBe(0);
  });
  afterEach(() => {
    clock.stop();
    jest.useRealTimers();
  });

  async function measureAgain(milliseconds: number): Promise<void> {
    responseMs = milliseconds;
    await jest.advanceTimersByTimeAsync(INTERVAL_MS + milliseconds);
  }

  it('keeps the correction when Postgres responds too late to tell', async () => {
    await measureAgain(9_000);
    expect(differsMs()).toBe(0);
  });

  it('drops the correction once the clock of the host is right again', async () => {
    host.skewMs = 0;
    await measureAgain(20);
    expect(differsMs()).toBe(0);
  });

  it.each([HOUR_MS, -HOUR_MS])('is not needed to ignore a jump of the clock by %d ms', (jumpMs) => {
    host.skewMs += jumpMs;
    jest.advanceTimersByTime(3_000);
    expect(Math.abs(differsMs())).toBeLessThan(10);
  });

  it('follows at once when the clock of the host and the time that has passed differ', async () => {
    pausedMs = HOUR_MS;
    expect(differsMs()).toBe(-HOUR_MS);
    await jest.advanceTimersByTimeAsync(0);
    expect(differsMs()).toBe(0);
  });

  it('follows the clock of a host that was suspended, even if Postgres responds too late to tell', async () => {
    host.skewMs = 0;
    await measureAgain(20);
    pausedMs = HOUR_MS;
    responseMs = 2_400;
    differsMs();
    await jest.advanceTimersByTimeAsync(responseMs);
    expect(differsMs()).toBe(0);
  });

  it('does not take a jump of the clock for the time if Postgres responds too late to tell', async () => {
    host.skewMs += 8_000;
    await measureAgain(20_000);
    expect(Math.abs(differsMs())).toBeLessThan(10);
  });

  it('is requested once per interval while Postgres is away', async () => {
    host.skewMs += HOUR_MS;
    isAway = true;
    measurements = 0;
    for (let call = 0; call < 5; call++) {
      expect(Math.abs(differsMs())).toBeLessThan(10);
      await jest.advanceTimersByTimeAsync(1);
    }
    expect(measurements).toBe(1);
    await measureAgain(0);
    differsMs();
    expect(measurements).toBe(2);
  });

  it('corrects a jump of the clock that is larger than the error, however late Postgres responds', async () => {
    host.skewMs = DAY_MS;
    await measureAgain(9_000);
    expect(Math.abs(differsMs())).toBeLessThan(4_500);
  });
});
