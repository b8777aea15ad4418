import { countEvents } from '../../../src/events/ingest/count-events.js';
import { CounterDeltas } from '../../../src/events/ingest/counter-deltas.js';
import type { EmailDeltas } from '../../../src/events/ingest/email-deltas.js';
import type { FirstHits } from '../../../src/events/ingest/first-hits.js';
import { lockEmails, type KnownEmail } from '../../../src/events/ingest/lock-emails.js';
import { ENGAGEMENT_CLASSES, VERDICTS } from '../../../src/events/verdict.js';
import { timeOfUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { Database } from '../../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { clicked, opened, sendMail, summed } from '../../roles/flusher/sent-mail.js';

const BOT = VERDICTS.findIndex((verdict) => verdict.class === 'bot');
const URL = 'https://shop.example/';
const NEVER: ReadonlyMap<EmailDeltas, FirstHits> = new Map();

let opening: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  opening = await openTestDatabase(2);
  ({ database } = opening);
});
afterEach(() => opening?.close());

/** Emails to this many contacts each, as a flush finds them. */
async function knownEmails(...contacts: number[]): Promise<KnownEmail[]> {
  const { emails } = await sendMail(database, contacts);
  const events = emails.map(({ trackingId }) => opened(trackingId));
  const known = await lockEmails(database, events);
  return emails.map(({ trackingId }) => known.get(trackingId)!);
}

/** The counters of all rows of a table with a counter above 0. */
async function countersOf(table: string, columns: string, order: string): Promise<unknown[]> {
  return database.query(`select ${columns} from ${table} order by ${order}`);
}

const HITS = 'opens::int, clicks::int, machine_opens::int as "machineOpens", machine_clicks::int as "machineClicks"';

it('adds to the counters of an email, its contacts, links and campaign', async () => {
  const [email] = await knownEmails(2);
  const deltas = new CounterDeltas();
  deltas.add(opened(email!.trackingId), email!);
  deltas.add(clicked(email!.trackingId, 0), email!);
  deltas.add(clicked(email!.trackingId, 3, `${URL}3`), email!, BOT);
  await countEvents(database, deltas, NEVER);

  const hits = { opens: 1, clicks: 2, machineOpens: 0, machineClicks: 1 };
  expect(await countersOf('emails', HITS, 'id')).toEqual([hits]);
  expect(await countersOf('contacts', HITS, 'id')).toEqual([hits, hits]);
  expect(await countersOf('campaign_totals', `${HITS}, bots::int, shard`, 'shard')).toEqual([
    { ...hits, bots: 1, shard: -1 },
  ]);
  const links = 'clicks::int, machine_clicks::int as "machineClicks"';
  expect(await countersOf('email_link_clicks', `position, ${links}`, 'position')).toEqual([
    { position: 0, clicks: 1, machineClicks: 0 },
    { position: 3, clicks: 1, machineClicks: 1 },
  ]);
  expect(await countersOf('campaign_links', `url, ${links}`, 'url')).toEqual([
    { url: URL, clicks: 1, machineClicks: 0 },
    { url: `${URL}3`, clicks: 1, machineClicks: 1 },
  ]);
  expect(await countersOf('email_machine_hits', 'class, hits::int', 'class')).toEqual([
    { class: ENGAGEMENT_CLASSES.indexOf('bot'), hits: 1 },
  ]);
});

it('adds to the counts of earlier batches', async () => {
  const [email] = await knownEmails(1);
  for (let batch = 0; batch < 2; batch++) {
    const deltas = new CounterDeltas();
    deltas.add(clicked(email!.trackingId), email!, BOT);
    deltas.add(summed(email!.trackingId, 3, []), email!);
    await countEvents(database, deltas, NEVER);
  }
  const hits = { opens: 6, clicks: 2, machineOpens: 0, machineClicks: 2 };
  for (const table of ['emails', 'contacts', 'campaign_totals']) {
    expect(await countersOf(table, HITS, '1')).toEqual([hits]);
  }
  const links = 'clicks::int, machine_clicks::int as "machineClicks"';
  for (const table of ['email_link_clicks', 'campaign_links']) {
    expect(await countersOf(table, links, '1')).toEqual([{ clicks: 2, machineClicks: 2 }]);
  }
  expect(await countersOf('email_machine_hits', 'hits::int', '1')).toEqual([{ hits: 2 }]);
});

it('does not count an email that only machines opened as opened by a person', async () => {
  const [byBot, byPerson] = await knownEmails(1, 1);
  const deltas = new CounterDeltas();
  deltas.add(opened(byBot!.trackingId), byBot!, BOT);
  deltas.add(opened(byPerson!.trackingId), byPerson!);
  deltas.add(clicked(byPerson!.trackingId), byPerson!, BOT);
  await countEvents(database, deltas, NEVER);
  expect(await countersOf('emails', 'person_opened as opened, person_clicked as clicked', 'id')).toEqual([
    { opened: false, clicked: false },
    { opened: true, clicked: false },
  ]);
});

it('keeps the latest times and updates the first hits by people', async () => {
  const [email] = await knownEmails(1);
  const [earlier, later] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 2)];
  const click = clicked(email!.trackingId);
  const deltas = new CounterDeltas();
  deltas.add(click, email!);
  await countEvents(database, deltas, new Map([[deltas.engagedEmails[0]!, { openAt: later, clickAt: earlier }]]));

  const old = new CounterDeltas();
  old.add(opened(email!.trackingId, earlier), email!);
  await countEvents(database, old, new Map([[old.engagedEmails[0]!, { openAt: earlier, clickAt: null }]]));

  const clickedAt = new Date(timeOfUuidV7(click.id));
  expect(await countersOf('emails', 'last_click_at, first_open_at, first_click_at', 'id')).toEqual([
    { last_click_at: clickedAt, first_open_at: new Date(earlier), first_click_at: null },
  ]);
  expect(await countersOf('contacts', 'last_activity_at', 'id')).toEqual([{ last_activity_at: clickedAt }]);
});

it('adds up what a contact did with several emails, and counts an email without a campaign for none', async () => {
  const [first, second] = await knownEmails(1, 1);
  const shared = { ...second!, contactIds: first!.contactIds, campaignId: null };
  const deltas = new CounterDeltas();
  deltas.add(opened(first!.trackingId), first!, BOT);
  deltas.add(opened(shared.trackingId), shared, BOT);
  deltas.add(clicked(shared.trackingId), shared);
  await countEvents(database, deltas, NEVER);
  expect(await countersOf('contacts', HITS, 'id')).toEqual([
    { opens: 2, clicks: 1, machineOpens: 2, machineClicks: 0 },
    { opens: 0, clicks: 0, machineOpens: 0, machineClicks: 0 },
  ]);
  expect(await countersOf('campaign_totals', 'opens::int, clicks::int', 'shard')).toEqual([{ opens: 1, clicks: 0 }]);
  expect(await countersOf('campaign_links', 'url', 'url')).toEqual([]);
});

it('counts a hand-over as activity of the contact and not as a hit', async () => {
  const [email] = await knownEmails(1);
  const sent = { ...opened(email!.trackingId), type: 'sent' } as const;
  const deltas = new CounterDeltas();
  deltas.add(sent, email!);
  await countEvents(database, deltas, NEVER);
  expect(await countersOf('emails', HITS, 'id')).toEqual([{ opens: 0, clicks: 0, machineOpens: 0, machineClicks: 0 }]);
  expect(await countersOf('contacts', 'last_activity_at', 'id')).toEqual([
    { last_activity_at: new Date(timeOfUuidV7(sent.id)) },
  ]);
});
