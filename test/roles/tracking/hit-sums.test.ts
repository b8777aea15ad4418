import { jest } from '@jest/globals';
import { SUM_INTERVAL_MS, type EngagementEvent } from '../../../src/events/engagement-event.js';
import type { AppendListener } from '../../../src/events/stream/event-appender.js';
import type { StreamEvent } from '../../../src/events/stream/stream-event.js';
import { codeOfVerdict } from '../../../src/events/verdict.js';
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

it('keeps at most 10,000 lost sums, so that their memory has a limit', () => {
  let appended = 0;
  const sums = new HitSums(
    { appendFor: (_event, listener) => void ((appended += 1), listener.lost(new Error('no space'))) },
    { now: () => Date.now() },
  );
  for (let number = 0; number < 10_001; number++)
    sums.add(opened(`tracking-${number}`) as Extract<EngagementEvent, { type: 'opened' }>);
  sums.append();
  sums.append();
  expect(appended).toBe(10_001 + 10_000);
});

it('counts hits of machines by their class and their link', () => {
  const appended: StreamEvent[] = [];
  const sums = new HitSums({ appendFor: (event) => void appended.push(event) }, { now: () => Date.now() });
  const scanner = codeOfVerdict({ class: 'scanner', reason: 'user-agent:missing', certainty: 'probable' });
  const open = opened('tracking') as Extract<EngagementEvent, { type: 'opened' }>;
  const click = { type: 'clicked', id: open.id, emailTrackingId: 'tracking', url: 'https://x.test' } as const;
  for (const linkPosition of [3, 3, 4]) sums.add({ ...click, linkPosition, verdict: scanner });
  sums.add({ ...open, verdict: scanner });
  sums.add({ ...click, linkPosition: 3 });
  sums.append();
  expect(appended).toMatchObject([
    {
      opens: 1,
      clicks: [
        { linkPosition: 3, clicks: 3 },
        { linkPosition: 4, clicks: 1 },
      ],
      machines: [
        { class: 'scanner', linkPosition: 3, hits: 2 },
        { class: 'scanner', linkPosition: 4, hits: 1 },
        { class: 'scanner', hits: 1 },
      ],
    },
  ]);
  expect((appended[0] as Extract<StreamEvent, { type: 'summed' }>).machines![2]).not.toHaveProperty('linkPosition');
});
