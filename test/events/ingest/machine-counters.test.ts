import type { Database } from '../../../src/platform/database/database.js';
import { flushBatch } from '../../../src/events/ingest/flush-batch.js';
import type { EngagementEvent, MachineHits } from '../../../src/events/engagement-event.js';
import { codeOfVerdict } from '../../../src/events/verdict.js';
import { clicked, opened, sendMail, summed, type SentMail } from '../../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { countersOfEvents, storedCounters } from './engagement-counters.js';

const GMAIL = codeOfVerdict({ class: 'proxy', reason: 'user-agent:google-image-proxy', certainty: 'certain' });
const APPLE = codeOfVerdict({ class: 'prefetch', reason: 'user-agent:apple-mpp', certainty: 'certain' });
const BARRACUDA = codeOfVerdict({ class: 'scanner', reason: 'user-agent:barracuda', certainty: 'certain' });
const SHOP = 'https://shop.example/';

let openDatabase: OpenTestDatabase;
let database: Database;
let mail: SentMail;

beforeEach(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  mail = await sendMail(database, [1, 2, 1]);
});

afterEach(() => openDatabase.close());

const flush = (events: readonly EngagementEvent[]) =>
  flushBatch(
    database,
    events.map((event) => ({ event, streamEntryId: '1-1' })),
  );
const by = (event: EngagementEvent, verdict: number): EngagementEvent => ({ ...event, verdict }) as EngagementEvent;
const totals = async () => (await storedCounters(database)).campaigns[mail.campaignId];

describe('counting people and machines', () => {
  it('stores the verdict and counts machines beside every total', async () => {
    const [first, second] = mail.emails.map(({ trackingId }) => trackingId);
    await flush([
      opened(first!),
      by(opened(first!), GMAIL),
      by(opened(second!), APPLE),
      by(clicked(second!, 0, SHOP), BARRACUDA),
      clicked(second!, 0, SHOP),
    ]);
    await flush([by(clicked(first!, 1, SHOP), BARRACUDA), by(opened(first!), APPLE)]);
    expect(await storedCounters(database)).toEqual(await countersOfEvents(database));
    expect(await totals()).toEqual({
      ...{ opens: 4, clicks: 3, machineOpens: 2, machineClicks: 2, uniqueOpens: 1, uniqueClicks: 1 },
      ...{ prefetch: 2, preview: 0, scanner: 2, bot: 0 },
    });
    const verdicts = await database.query('select distinct verdict from events order by verdict');
    expect(verdicts).toEqual([0, GMAIL, APPLE, BARRACUDA].toSorted((a, b) => a - b).map((verdict) => ({ verdict })));
  });

  it('counts an email as opened by a person once, even after a machine opened it, in batches of any size', async () => {
    const { trackingId } = mail.emails[1]!;
    for (const event of [by(opened(trackingId), APPLE), opened(trackingId), opened(trackingId)]) await flush([event]);
    expect(await totals()).toMatchObject({ uniqueOpens: 1, uniqueClicks: 0, opens: 3, machineOpens: 1 });
    await flush([clicked(trackingId), clicked(trackingId)]);
    expect(await totals()).toMatchObject({ uniqueOpens: 1, uniqueClicks: 1 });
  });

  it('counts an email that people opened before verdicts existed with its next event', async () => {
    const { id, trackingId } = mail.emails[0]!;
    await database.query('update emails set opens = 3, clicks = 1 where id = $1', [id]);
    await flush([by(opened(trackingId), APPLE)]);
    expect(await totals()).toMatchObject({ uniqueOpens: 1, uniqueClicks: 1, opens: 1, machineOpens: 1 });
  });

  it('counts the machines of a sum by class and link, once', async () => {
    const { id, trackingId } = mail.emails[1]!;
    await database.query('insert into email_links (email_id, urls) values ($1, $2)', [id, [SHOP, SHOP]]);
    const machines: MachineHits[] = [
      { class: 'prefetch', hits: 30 },
      { class: 'scanner', linkPosition: 1, hits: 7 },
    ];
    const sum = { ...summed(trackingId, 30, [5, 7]), machines } as EngagementEvent;
    await flush([sum]);
    await flush([sum, sum]);
    expect(await totals()).toEqual({
      ...{ opens: 30, clicks: 12, machineOpens: 30, machineClicks: 7, uniqueOpens: 0, uniqueClicks: 1 },
      ...{ prefetch: 30, preview: 0, scanner: 7, bot: 0 },
    });
    const { links, campaignLinks, contacts } = await storedCounters(database);
    expect(Object.values(links)).toEqual([
      { clicks: 5, machineClicks: 0 },
      { clicks: 7, machineClicks: 7 },
    ]);
    expect(Object.values(campaignLinks)).toEqual([{ clicks: 12, machineClicks: 7 }]);
    expect(Object.values(contacts)).toEqual(
      Array(2).fill({ opens: 30, clicks: 12, machineOpens: 30, machineClicks: 7 }),
    );
    expect(
      await database.query('select machine_opens::int as opens, machine_clicks::int as clicks from event_sums'),
    ).toEqual([{ opens: 30, clicks: 7 }]);
  });
});
