import { jest } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { AppendMetrics } from '../../../src/events/stream/append-metrics.js';
import { EventAppender } from '../../../src/events/stream/event-appender.js';
import type { EntryStore } from '../../../src/events/stream/entry-store.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';

/** Each entry is on disk within the second after which a reader waits no longer. */
const ENTRY_MS = 900;
/** So many that they need three entries. */
const EVENTS = 1_500;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const slowDisk = {
  store: () => new Promise((resolve) => setTimeout(() => resolve('spool'), ENTRY_MS)),
  close: () => Promise.resolve(),
} as unknown as EntryStore;

it('a reader behind others waits no longer for a slow disk than the first one', async () => {
  const appender = new EventAppender(slowDisk, new AppendMetrics(new Registry()), pino({ level: 'silent' }));
  const respondedAt: number[] = [];
  const start = performance.now();
  for (let reader = 0; reader < EVENTS; reader++) {
    const respond = () => void (respondedAt[reader] ??= performance.now() - start);
    const event = { type: 'opened' as const, id: uuidV7(Date.now()), emailTrackingId: 'abc' };
    appender.appendFor(event, { stored: respond, lost: respond, delayed: respond });
  }
  await jest.advanceTimersByTimeAsync(4 * ENTRY_MS);
  expect(respondedAt).toHaveLength(EVENTS);
  expect(Math.max(...respondedAt)).toBeLessThan(1_500);
});
