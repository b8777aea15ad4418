import { Writable } from 'node:stream';
import type { EventConsumer } from '../../../src/events/stream/event-consumer.js';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import { createLogger } from '../../../src/platform/logging/logger.js';
import { SlowEvents } from '../../../src/roles/flusher/slow-events.js';

it('a Postgres that hangs is not logged as an event that exceeds its limits', () => {
  const outages = new StoreOutages();
  let text = '';
  const destination = new Writable({ write: (chunk, _encoding, done) => ((text += String(chunk)), done()) });
  const slow = new SlowEvents(
    {} as EventConsumer,
    systemClock,
    createLogger('warn', ['flusher'], { destination, outages }),
  );
  const leaveOut = (error: Error): boolean => {
    const event = { type: 'opened' as const, id: uuidV7(Date.now()), emailTrackingId: 'abc' };
    return slow.leaveOut({ event, streamEntryId: '1-0' }, error);
  };

  const hanging = new Error('Query read timeout');
  outages.failed('Postgres', hanging);
  expect(leaveOut(hanging)).toBe(true);
  expect(text).not.toContain('exceeds a limit');
  expect(leaveOut(new Error('canceling statement due to statement timeout'))).toBe(true);
  expect(text).toContain('canceling statement due to statement timeout');
  expect(text).toContain('An event exceeds a limit of Postgres; going on without it');
});
