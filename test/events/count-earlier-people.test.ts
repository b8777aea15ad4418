import type { Database, Sql } from '../../src/platform/database/database.js';
import { EarlierPeople } from '../../src/events/count-earlier-people.js';
import { flushBatch } from '../../src/events/ingest/flush-batch.js';
import { clicked, opened, sendMail } from '../roles/flusher/sent-mail.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { countersOfEvents, storedCounters } from './ingest/engagement-counters.js';

let openDatabase: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  openDatabase = await openTestDatabase(8);
  ({ database } = openDatabase);
});

afterEach(() => openDatabase.close());

const count = () => new EarlierPeople(database).count();

/** Mail as an earlier build leaves it: with total counters only. */
async function earlierMail() {
  const mail = await sendMail(database, [1, 1, 1, 1]);
  const [first, second, third] = mail.emails.map(({ trackingId }) => trackingId);
  const events = [opened(first!), opened(first!), clicked(first!), opened(second!), clicked(third!)];
  await flushBatch(
    database,
    events.map((event) => ({ event, streamEntryId: '1-1' })),
  );
  await database.query('update emails set person_opened = false, person_clicked = false');
  await database.query('update campaign_totals set unique_opens = 0, unique_clicks = 0');
  return mail;
}

const expectEqualCounters = async () =>
  expect(await storedCounters(database)).toEqual(await countersOfEvents(database));

it('counts the people of earlier emails once, with any number of workers and passes', async () => {
  const { campaignId } = await earlierMail();
  await Promise.all([count(), count(), count()]);
  await expectEqualCounters();
  expect((await storedCounters(database)).campaigns[campaignId]).toMatchObject({ uniqueOpens: 2, uniqueClicks: 2 });
});

it('repeats its pass a day later, for what an earlier build has stored meanwhile, and never again after that', async () => {
  await count();
  const { emails } = await earlierMail();
  const uniques = async () =>
    Object.values((await storedCounters(database)).campaigns).map(({ uniqueOpens }) => uniqueOpens);
  await count();
  expect(await uniques()).toEqual([0]);
  await database.query(`update people_walk set due_at = due_at - interval '1 day'`);
  await count();
  await expectEqualCounters();
  await database.query(`update people_walk set due_at = now() - interval '1 day'`);
  await database.query('update emails set person_opened = false where id = $1', [emails[0]!.id]);
  await count();
  expect(await database.query('select person_opened as is from emails where id = $1', [emails[0]!.id])).toEqual([
    { is: false },
  ]);
});

it('stays exact if a flush counts the same email first', async () => {
  const { campaignId, emails } = await earlierMail();
  let walk: Promise<void> | undefined;
  const flush = async (sql: Sql): Promise<void> => {
    await sql.query('update emails set person_opened = true where id = $1', [emails[0]!.id]);
    await sql.query('update campaign_totals set unique_opens = 1 where campaign_id = $1', [campaignId]);
  };
  await whileLocked(database, flush, async () => {
    walk = count();
    await lockedOut(database, 1);
  });
  await walk;
  await expectEqualCounters();
});
