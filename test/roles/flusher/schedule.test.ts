import { Schedule } from '../../../src/roles/flusher/schedule.js';

const INTERVAL_MS = 1_000;

it('is due at first, then once per interval', () => {
  const schedule = new Schedule(INTERVAL_MS);
  const dueAt = (now: number) => schedule.isDue(now);
  expect([5_000, 5_999, 6_000, 6_999, 9_000].map(dueAt)).toEqual([true, false, true, false, true]);
});

it('is due soon after its clock was set back', () => {
  const schedule = new Schedule(INTERVAL_MS);
  expect(schedule.isDue(3_600_000)).toBe(true);
  expect(schedule.isDue(5_000)).toBe(true);
  expect(schedule.isDue(5_999)).toBe(false);
});

it('is due again at the time of a retry', () => {
  const schedule = new Schedule(INTERVAL_MS);
  expect(schedule.isDue(5_000)).toBe(true);
  schedule.retryAt(5_100);
  expect([5_099, 5_100].map((now) => schedule.isDue(now))).toEqual([false, true]);
});
