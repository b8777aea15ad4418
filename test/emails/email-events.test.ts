import { EmailEvents } from '../../src/emails/read/email-events.js';
import { flushEntries } from '../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { MAX_PAGE } from '../../src/platform/http/paging.js';
import { noOldEvents } from '../events/store/no-old-events.js';
import { opened, sendMail, summed } from '../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;

beforeEach(async () => {
  open = await openTestDatabase(2);
});
afterEach(() => open.close());

it('lists the events of an email with more hits than a page', async () => {
  const { database } = open;
  const { organizationId, emails } = await sendMail(database, [1]);
  const { id, trackingId } = emails[0]!;
  const now = Date.now();
  const hits = [3, 2, 1].map((age) => opened(trackingId, now - age * 1000));
  const packed = packEntry([...hits, summed(trackingId, MAX_PAGE, [])].map(encodeEvent));
  await flushEntries(database, [{ id: '1-1', packed, raw: packed, deliveries: 1 }]);
  const events = new EmailEvents(database, noOldEvents(database));

  const newest = await events.list(organizationId, id, { limit: 2 });
  expect(newest.items).toMatchObject([{ id: hits[2]!.id }, { id: hits[1]!.id }]);
  const rest = await events.list(organizationId, id, { limit: 2, after: newest.next! });
  expect(rest.items).toMatchObject([{ id: hits[0]!.id }]);
});
