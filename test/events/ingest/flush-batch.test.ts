import { Pool } from 'pg';
import { Database } from '../../../src/platform/database/database.js';
import { flushBatch, type ReceivedEvent } from '../../../src/events/ingest/flush-batch.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { createTestDatabase, type TestDatabase } from '../../support/services.js';
import { clicked, countersAfter, opened, readCounters, sendMail, summed } from '../../roles/flusher/sent-mail.js';

let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url });
  database = new Database(pool);
});

afterEach(async () => {
  await pool.end();
  await testDatabase.drop();
});

const received = (event: EngagementEvent): ReceivedEvent => ({ event, streamEntryId: '1-1' });

describe('flushing a batch', () => {
  it('stores URLs and times unchanged, with any content', async () => {
    const { emails } = await sendMail(database, [1]);
    const { trackingId } = emails[0]!;
    const urls = ['https://a.example/\\N', '\\N', '\\.', '', 'a\tb\nc\rd\\te', 'ü€😀', '"quoted", {and} braced'];
    const farAway = 253_402_300_800_000; // the year 10000
    const events = [...urls.map((url, place) => clicked(trackingId, place, url)), opened(trackingId, farAway)];
    await flushBatch(database, events.map(received));
    const rows = await database.query<{ url: string; ms: string }>(
      'select url, extract(epoch from occurred_at) * 1000 as ms from events order by link_position nulls last',
    );
    expect(rows.map(({ url }) => url)).toEqual([...urls, null]);
    expect(Number(rows.at(-1)!.ms)).toBe(farAway);
    const links = await database.query<{ url: string }>('select url from campaign_links');
    expect(links.map(({ url }) => url).sort()).toEqual(urls.toSorted());
  });

  it('counts for every contact and campaign separately', async () => {
    const first = await sendMail(database, [2, 1]);
    const second = await sendMail(database, [1]);
    const [both, shared, alone] = [...first.emails, ...second.emails];
    await database.query('update emails set contact_ids = $2 where id = $1', [shared!.id, [both!.contactIds[1]]]);
    await database.query('update emails set campaign_id = null where id = $1', [shared!.id]);
    const events = [opened(both!.trackingId), clicked(shared!.trackingId), opened(shared!.trackingId)];
    await flushBatch(database, [...events, opened(alone!.trackingId)].map(received));
    const countsOf = async (id: string) =>
      (await database.query('select opens::int, clicks::int from contacts where id = $1', [id]))[0];
    expect(await countsOf(both!.contactIds[0]!)).toEqual({ opens: 1, clicks: 0 });
    expect(await countsOf(both!.contactIds[1]!)).toEqual({ opens: 2, clicks: 1 });
    expect(await countsOf(alone!.contactIds[0]!)).toEqual({ opens: 1, clicks: 0 });
    expect(
      await database.query('select campaign_id, opens::int, clicks::int from campaign_totals order by campaign_id'),
    ).toEqual([
      { campaign_id: first.campaignId, opens: 1, clicks: 0 },
      { campaign_id: second.campaignId, opens: 1, clicks: 0 },
    ]);
    expect(await database.query('select from campaign_links')).toEqual([]);
  });
});

describe('flushing sums', () => {
  const shop = 'https://shop.example/';

  async function sentWithLinks(urls: readonly string[], contacts = 1) {
    const { emails } = await sendMail(database, [contacts]);
    await database.query('insert into email_links (email_id, urls) values ($1, $2)', [emails[0]!.id, urls]);
    return emails[0]!;
  }

  it('adds every count, without a row for each hit', async () => {
    const { trackingId } = await sentWithLinks([shop, 'https://other.example/', shop], 2);
    const sum = summed(trackingId, 40, [10, 20, 30]);
    await flushBatch(database, [opened(trackingId), clicked(trackingId, 0, shop), sum].map(received));
    expect(await readCounters(database)).toEqual({
      ...countersAfter(41, 61, 2),
      ...{ rows: 4, events: 2, openedEvents: 1, clickedEvents: 1 },
    });
    const links = await database.query('select url, clicks::int from campaign_links order by clicks');
    expect(links).toEqual([
      { url: 'https://other.example/', clicks: 20 },
      { url: shop, clicks: 41 },
    ]);
    expect(await database.query('select opens::int, clicks::int from event_sums')).toEqual([{ opens: 40, clicks: 60 }]);
  });

  it('counts a sum once, even if it is repeated beside new ones', async () => {
    const { trackingId } = await sentWithLinks([shop]);
    const sum = summed(trackingId, 5, [7]);
    await flushBatch(database, [sum].map(received));
    const again = await flushBatch(database, [sum, opened(trackingId), sum].map(received));
    expect(again).toMatchObject({ stored: 1, repeated: 2, webhookDeliveries: [] });
    expect(await readCounters(database)).toMatchObject({ emailOpens: 6, emailClicks: 7, campaignLinkClicks: 7 });
  });

  it('counts the clicks of an email whose links are not stored yet, except for its campaign by link', async () => {
    const { emails } = await sendMail(database, [1]);
    await flushBatch(database, [summed(emails[0]!.trackingId, 0, [3])].map(received));
    expect(await readCounters(database)).toMatchObject({
      emailLinkClicks: 3,
      campaignClicks: 3,
      campaignLinkClicks: 0,
    });
  });
});
