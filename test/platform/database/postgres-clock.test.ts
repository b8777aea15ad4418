import { setTimeout as delay } from 'node:timers/promises';
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
  return { differsMs: clock.now() - Date.now(), log };
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
  expect(differsMs).toBeGreaterThanOrEqual(skewMs - 1);
  expect(differsMs).toBeLessThan(skewMs + 50);
  expect(log.text).toBe('');
});
