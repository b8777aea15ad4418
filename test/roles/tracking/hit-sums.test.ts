import { jest } from '@jest/globals';
import { SUM_INTERVAL_MS, type EngagementEvent } from '../../../src/events/engagement-event.js';
import type { AppendListener } from '../../../src/events/stream/event-appender.js';
import type { StreamEvent } from '../../../src/events/stream/stream-event.js';
import { HitSums } from '../../../src/roles/tracking/hit-sums.js';
import { opened } from '../flusher/sent-mail.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a lost sum is appended again, with the same ID, although no further hit arrives', () => {
  const appended: StreamEvent[] = [];
  const results: (keyof AppendListener)[] = ['lost', 'lost', 'stored'];
  const sums = new HitSums(
    {
      appendFor: (event, listener) => {
        appended.push(event);
        if (results.shift() === 'lost') listener.lost(new Error('no space'));
        else listener.stored();
      },
    },
    { now: () => Date.now() },
  );
  sums.add(opened('tracking') as Extract<EngagementEvent, { type: 'opened' }>);
  sums.add(opened('tracking') as Extract<EngagementEvent, { type: 'opened' }>);
  jest.advanceTimersByTime(10 * SUM_INTERVAL_MS);
  expect(appended).toHaveLength(3);
  expect(appended[0]).toMatchObject({ type: 'summed', emailTrackingId: 'tracking', opens: 2 });
  expect(appended).toEqual([appended[0], appended[0], appended[0]]);
});
