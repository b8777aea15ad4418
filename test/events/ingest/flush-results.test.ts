import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { flushEntries } from '../../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { opened, sendMail, summed } from '../../roles/flusher/sent-mail.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

function flush(events: readonly EngagementEvent[]): ReturnType<typeof flushEntries> {
  const packed = packEntry(events.map(encodeEvent));
  return flushEntries(open.database, [{ id: '1-1', packed, raw: packed, deliveries: 1 }]);
}

it('stores each event at the millisecond that its ID contains', async () => {
  const { emails } = await sendMail(open.database, [1]);
  const start = Date.now() - 60_000;
  const events = Array.from({ length: 40 }, (_, at) => opened(emails[0]!.trackingId, start + at));
  await flush(events);
  const rows = await open.database.query<{ at: Date }>('select occurred_at as at from events order by id');
  expect(rows.map(({ at }) => at.getTime() - start)).toEqual(events.map((_, at) => at));
});

it('reports live what it stored, sums as one message each', async () => {
  const { emails } = await sendMail(open.database, [1, 1]);
  const [first, second] = emails.map(({ trackingId }) => trackingId) as [string, string];
  const events = [opened(first), summed(first, 3, []), summed(second, 0, [2])];
  const { live } = await flush(events);
  expect(live.map(({ type, emailId }) => [type, emailId])).toEqual([
    ['email.opened', emails[0]!.id],
    ['email.opened', emails[0]!.id],
    ['email.clicked', emails[1]!.id],
  ]);
});
