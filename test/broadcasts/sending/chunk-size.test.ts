import { sizeOfChunk } from '../../../src/broadcasts/sending/chunk-size.js';

const MINUTE = 60;
const emails = { pending: 0, dueAgain: 0, stalled: false, sendsNeedRoom: false };

/** What a step creates with a pace per second, while `fresh` emails wait for their first attempt. */
const size = (perSecond: number, fresh: number, waiting = 100_000) =>
  sizeOfChunk({ ...emails, pace: perSecond * MINUTE, fresh, pending: fresh }, waiting);

it('a paced broadcast creates a second of emails once there is room for them', () => {
  expect(size(10, 0)).toBe(10);
  expect(size(10, 10)).toBe(10);
  expect(size(1, 1)).toBe(1);
  expect(size(1, 2)).toBeLessThanOrEqual(0);
});

it('a pace of less than one email a second creates them one by one', () => {
  expect(sizeOfChunk({ ...emails, pace: 1, fresh: 0 }, 100)).toBe(1);
});

it('a paced broadcast creates no few emails at a time while the provider is slower than its pace', () => {
  for (const perSecond of [10, 50, 100, 1_000]) {
    const most = Math.min(200, 2 * perSecond);
    const least = Math.min(100, perSecond);
    for (let fresh = 0; fresh <= most + 10; fresh++) {
      const created = size(perSecond, fresh);
      expect([perSecond, fresh, created <= 0 || created >= least]).toEqual([perSecond, fresh, true]);
    }
  }
});

it('the last emails of a paced broadcast are created although they are few', () => {
  expect(size(1_000, 150, 3)).toBeGreaterThanOrEqual(3);
});

it('a broadcast creates fewer emails ahead while single sends need room', () => {
  const unpaced = { ...emails, pace: null };
  expect(sizeOfChunk({ ...unpaced, fresh: 0 }, 100_000)).toBe(200);
  const beside = { ...unpaced, sendsNeedRoom: true };
  expect(sizeOfChunk({ ...beside, fresh: 0 }, 100_000)).toBe(80);
  expect(sizeOfChunk({ ...beside, fresh: 40 }, 100_000)).toBe(40);
  expect(sizeOfChunk({ ...beside, fresh: 41 }, 100_000)).toBe(0);
  expect(sizeOfChunk({ ...beside, fresh: 75 }, 5)).toBe(5);
});
