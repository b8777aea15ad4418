import type { Database } from '../../../src/platform/database/database.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { flushBatch } from '../../../src/events/ingest/flush-batch.js';
import type { RuleWindows } from '../../../src/events/ingest/rules/hit.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { codeOfVerdict, verdictOf } from '../../../src/events/verdict.js';
import { sendMail } from '../../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { countersOfEvents, storedCounters } from './engagement-counters.js';

const WINDOWS: RuleWindows = {
  ENGAGEMENT_INSTANT_MS: 10_000,
  ENGAGEMENT_CORROBORATED_MS: 60_000,
  ENGAGEMENT_BURST_MS: 2_000,
  ENGAGEMENT_ALL_LINKS_MS: 10_000,
  ENGAGEMENT_AROUND_SCANNER_MS: 10_000,
};
const HOUR_MS = 3_600_000;
const SENT_AT = Date.now() - HOUR_MS;
const LATER = 300_000;
const BARRACUDA = codeOfVerdict({ class: 'scanner', reason: 'user-agent:barracuda', certainty: 'certain' });
const WEBKIT = codeOfVerdict({ class: 'human', reason: 'user-agent:bare-webkit', certainty: 'probable' });

let openDatabase: OpenTestDatabase;
let database: Database;
let email: { readonly id: string; readonly trackingId: string };

beforeEach(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  email = (await sendMail(database, [2])).emails[0]!;
  await database.query('update emails set sent_at = $2, attempts = 1 where id = $1', [email.id, new Date(SENT_AT)]);
  await database.query(`insert into email_links (email_id, urls) values ($1, '{a,b,c,d}')`, [email.id]);
});

afterEach(() => openDatabase.close());

/** @param at milliseconds after the hand-over */
function open(at: number, verdict = 0): EngagementEvent {
  return { type: 'opened', id: uuidV7(SENT_AT + at), emailTrackingId: email.trackingId, verdict };
}

function click(linkPosition: number, at: number, verdict = 0): EngagementEvent {
  const url = `https://shop.example/${linkPosition}`;
  const id = uuidV7(SENT_AT + at);
  return { type: 'clicked', id, emailTrackingId: email.trackingId, linkPosition, url, verdict };
}

/** Flushes each batch and returns the reason of every open and click, in order of time. */
async function reasonsAfter(...batches: EngagementEvent[][]): Promise<string[]> {
  for (const batch of batches) {
    await flushBatch(
      database,
      batch.map((event) => ({ event, streamEntryId: '1-1' })),
      WINDOWS,
    );
  }
  expect(await storedCounters(database)).toEqual(await countersOfEvents(database));
  const rows = await database.query<{ verdict: number }>(
    `select verdict from events where ordinal = 1 and type <> 'sent' order by occurred_at, id`,
  );
  return rows.map(({ verdict }) => {
    const { class: name, reason } = verdictOf(verdict);
    return `${name} ${reason}`;
  });
}

const PERSON = 'human none';
const INSTANT = 'scanner timing:instant';
const BURST = 'scanner timing:burst';
const AROUND = 'scanner timing:around-scanner';
const NAMED = 'scanner user-agent:barracuda';

describe('relabelling', () => {
  it('counts hits right after the hand-over as those of machines, and later ones only with a weak sign', async () => {
    const early = [open(-500), open(9_999), open(10_001), open(30_000, WEBKIT), open(60_001, WEBKIT)];
    expect(await reasonsAfter(early)).toEqual([
      ...[INSTANT, INSTANT, PERSON, 'prefetch user-agent:bare-webkit', 'human user-agent:bare-webkit'],
    ]);
  });

  it('classifies hits that arrive before the hand-over is recorded, once it is recorded', async () => {
    await database.query('update emails set sent_at = null where id = $1', [email.id]);
    expect(await reasonsAfter([open(-500), open(2_000)], [open(40_000)])).toEqual([PERSON, PERSON, PERSON]);
    await database.query('update emails set sent_at = $2 where id = $1', [email.id, new Date(SENT_AT)]);
    const sent = { type: 'sent', id: uuidV7(SENT_AT), emailTrackingId: email.trackingId } as const;
    expect(await reasonsAfter([sent])).toEqual([INSTANT, INSTANT, PERSON]);
  });

  it('does not count hits long before the hand-over as those of machines: its time was recorded too late', async () => {
    expect(await reasonsAfter([open(-1_200_000), open(-60_001), open(-59_999)])).toEqual([PERSON, PERSON, INSTANT]);
  });

  it('keeps a hit after an earlier attempt as human', async () => {
    await database.query('update emails set attempts = 2 where id = $1', [email.id]);
    expect(await reasonsAfter([open(-500), open(500)])).toEqual([PERSON, INSTANT]);
  });

  it('keeps a hit after an attempt with an unknown outcome as human', async () => {
    await database.query('update emails set possible_duplicate = true where id = $1', [email.id]);
    expect(await reasonsAfter([open(-500), open(500)])).toEqual([PERSON, INSTANT]);
  });

  it('ignores the hand-over of an email that another provider sends', async () => {
    await database.query(`update emails set status = 'tracked', tracked = true where id = $1`, [email.id]);
    expect(await reasonsAfter([open(0), open(5_000)])).toEqual([PERSON, PERSON]);
  });

  it('relabels the earlier clicks of a burst, but not the later click of a person', async () => {
    const burst = [click(0, LATER), click(2, LATER + 900), click(1, LATER + 1_800)];
    expect(
      await reasonsAfter([burst[0]!], [burst[1]!, open(LATER - 400)], [burst[2]!, click(1, LATER + 9_000)]),
    ).toEqual([...[PERSON, BURST, BURST, BURST, PERSON]]);
  });

  it('relabels clicks on all links in their order, but not the click of a person in between', async () => {
    const run = [0, 1, 2, 3].map((position) => [click(position, LATER + position * 2_500)]);
    const person = click(0, LATER + 6_000);
    expect(await reasonsAfter(...run.toReversed(), [person])).toEqual([
      ...Array<string>(3).fill('scanner order:all-links'),
      ...[PERSON, 'scanner order:all-links'],
    ]);
  });

  it('relabels clicks on all links that were stored before the hand-over and the links of the email were known', async () => {
    await database.query('update emails set sent_at = null where id = $1', [email.id]);
    await database.query('delete from email_links');
    const run = [0, 1, 2, 3].map((position) => click(position, LATER + position * 3_000));
    expect(await reasonsAfter(run)).toEqual([PERSON, PERSON, PERSON, PERSON]);
    await database.query('update emails set sent_at = $2 where id = $1', [email.id, new Date(SENT_AT)]);
    await database.query(`insert into email_links (email_id, urls) values ($1, '{a,b,c,d}')`, [email.id]);
    const sent = { type: 'sent' as const, id: uuidV7(SENT_AT), emailTrackingId: email.trackingId };
    expect(new Set(await reasonsAfter([sent]))).toEqual(new Set(['scanner order:all-links']));
  });

  it('relabels hits close to those of a scanner, even an open stored before any click', async () => {
    const scanned = [click(0, LATER + 1_000, BARRACUDA), click(1, LATER + 4_000), click(2, LATER + 8_000)];
    expect(await reasonsAfter([open(LATER)], scanned)).toEqual([AROUND, NAMED, AROUND, AROUND]);
    expect(await reasonsAfter([open(LATER + 10_900)])).toEqual([AROUND, NAMED, AROUND, AROUND, AROUND]);
  });

  it('does not change the click of a person after the scanner, and the open of a person before it', async () => {
    const checked = [click(1, LATER + 3_000, BARRACUDA), click(1, LATER + 3_400), click(1, LATER + 5_000)];
    expect(await reasonsAfter([open(LATER)], ...checked.map((event) => [event]))).toEqual([
      ...[PERSON, NAMED, PERSON, PERSON],
    ]);
  });

  it('never changes a certain verdict', async () => {
    const gmail = codeOfVerdict({ class: 'proxy', reason: 'user-agent:google-image-proxy', certainty: 'certain' });
    const burst = [0, 1, 2].map((position) => click(position, LATER + position, BARRACUDA));
    expect(await reasonsAfter([open(100, gmail), ...burst])).toEqual([
      ...['proxy user-agent:google-image-proxy', NAMED, NAMED, NAMED],
    ]);
  });

  it('lowers the unique counts once the only open of an email by a person is relabelled', async () => {
    const uniques = async () =>
      (await database.query<{ n: number }>('select sum(unique_clicks)::int as n from campaign_totals'))[0]!.n;
    await reasonsAfter([click(0, LATER)], [click(1, LATER + 100)]);
    expect(await uniques()).toBe(1);
    await reasonsAfter([click(2, LATER + 200)]);
    expect(await uniques()).toBe(0);
    await reasonsAfter([click(2, LATER + 20_000)]);
    expect(await uniques()).toBe(1);
  });

  it('counts a unique click in the hour of an earlier click that arrives when the first one is relabelled', async () => {
    const border = Math.ceil(SENT_AT / HOUR_MS) * HOUR_MS - SENT_AT;
    await database.query('update emails set sent_at = $2 where id = $1', [email.id, new Date(SENT_AT - HOUR_MS)]);
    await reasonsAfter([click(0, border + 100)], [click(1, border + 600_000)]);
    const burst = [click(1, border + 200), click(2, border + 300)];
    expect(await reasonsAfter([click(3, border - 60_000), ...burst])).toEqual([PERSON, BURST, BURST, BURST, PERSON]);
  });
});
