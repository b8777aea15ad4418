import { EmailTimelines } from '../../src/emails/read/email-timeline.js';
import { flushEntries } from '../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { noOldEvents } from '../events/store/no-old-events.js';
import { opened, sendMail } from '../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;

beforeEach(async () => {
  open = await openTestDatabase(2);
});
afterEach(() => open.close());

it('pages of a timeline include every open of one millisecond', async () => {
  const { database } = open;
  const { organizationId, emails } = await sendMail(database, [1]);
  const { id, trackingId } = emails[0]!;
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html) values ($1, 'a@a.test', '{b@b.test}', 'S', '')`,
    [id],
  );
  const time = Date.now();
  const packed = packEntry(Array.from({ length: 9 }, () => encodeEvent(opened(trackingId, time))));
  await flushEntries(database, [{ id: '1-1', packed, raw: packed, deliveries: 1 }]);
  const timelines = new EmailTimelines(database, noOldEvents(database));
  const types: string[] = [];
  for (let after: readonly string[] | undefined; ;) {
    const page = await timelines.list(organizationId, id, { limit: 2, ...(after && { after }) });
    types.push(...page.items.map(({ type }) => type));
    if (!page.next) break;
    after = page.next;
  }
  expect(types.sort()).toEqual(['accepted', ...Array<string>(9).fill('opened')]);
});
