import { EmailEvents } from '../../src/emails/read/email-events.js';
import { flushEntries } from '../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import type { OldEvents, OldHit } from '../../src/events/store/old-events.js';
import { MAX_PAGE, type PageRequest } from '../../src/platform/http/paging.js';
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

/** The events of an email that the event store has. */
function storeOf(hits: readonly OldHit[]): OldEvents {
  const ofEmail = (_email: unknown, { limit, after: [at, last] = [] }: PageRequest) => {
    const isBefore = (hit: OldHit) => at === undefined || hit.at < new Date(at) || hit.id < last!;
    return Promise.resolve(hits.filter(isBefore).slice(0, limit + 1));
  };
  return { ofEmail } as unknown as OldEvents;
}

it('pages include every event of one millisecond, although the event store has some of them and Postgres the others', async () => {
  const { database } = open;
  const { organizationId, emails } = await sendMail(database, [1]);
  const { id, trackingId } = emails[0]!;
  const time = Date.now();
  const hits = Array.from({ length: 8 }, () => opened(trackingId, time)).sort((a, b) => (a.id < b.id ? 1 : -1));
  const packed = packEntry(hits.filter((_, place) => place % 2 === 0).map(encodeEvent));
  await flushEntries(database, [{ id: '1-1', packed, raw: packed, deliveries: 1 }]);
  const old = hits.filter((_, place) => place % 2 === 1);
  const fields = { email: trackingId, type: 'opened', at: new Date(time), linkPosition: 0, verdict: 0, url: null };
  const events = new EmailEvents(database, storeOf(old.map((hit) => ({ ...fields, id: hit.id }) as OldHit)));
  const listed: string[] = [];
  for (let after: readonly string[] | undefined; ;) {
    const page = await events.list(organizationId, id, { limit: 3, ...(after && { after }) });
    listed.push(...page.items.map((event) => event.id));
    if (!page.next) break;
    after = page.next;
  }
  expect(listed).toEqual(hits.map((hit) => hit.id));
});
