import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { PostgresClock } from '../../../src/platform/database/postgres-clock.js';
import { CapturedLog } from '../../support/captured-log.js';

const DAY_MS = 86_400_000;

/** @param answerMs how long Postgres takes to respond */
async function follow(skewMs: number, answerMs = 0) {
  const log = new CapturedLog('warn', ['worker']);
  const sql = {
    prepared: async () => {
      const now = Date.now();
      await delay(answerMs);
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
    expect(Math.abs(differsMs)).toBeLessThan(500);
    expect(log.text).toMatch(/clock of this host is wrong/);
  },
);

it.each([
  ['hardly differs', 900, 0],
  ['may differ only because Postgres responds late', 0, 1_100],
])('trusts the clock of a host that %s', async (_, skewMs, answerMs) => {
  const { differsMs, log } = await follow(skewMs, answerMs);
  expect(differsMs).toBe(skewMs);
  expect(log.text).toBe('');
});

describe('a later measurement', () => {
  const INTERVAL_MS = 10_000;
  let clock: PostgresClock;
  let answerMs: number;
  const host = { skewMs: 0, now: () => Date.now() + host.skewMs };
  const differsMs = () => clock.now() - Date.now();

  beforeEach(async () => {
    jest.useFakeTimers();
    answerMs = 0;
    host.skewMs = 5_000;
    const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const prepared = async () => {
      if (answerMs === 0) return [{ now: Date.now() }];
      await wait(answerMs / 2);
      const now = Date.now();
      await wait(answerMs / 2);
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
    answerMs = milliseconds;
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

  it('corrects a jump of the clock that is larger than the error, however late Postgres responds', async () => {
    host.skewMs = DAY_MS;
    await measureAgain(9_000);
    expect(Math.abs(differsMs())).toBeLessThan(4_500);
  });
});
