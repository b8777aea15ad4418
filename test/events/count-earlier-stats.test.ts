import { EarlierStats } from '../../src/campaigns/stats/count-earlier-stats.js';
import { STAT_COUNTERS } from '../../src/campaigns/stats/stat-counters.js';
import type { EngagementEvent } from '../../src/events/engagement-event.js';
import { ensureEventPartitions } from '../../src/events/event-partitions.js';
import { flushBatch } from '../../src/events/ingest/flush-batch.js';
import { MACHINE_VERDICTS } from '../../src/events/verdict.js';
import type { Database } from '../../src/platform/database/database.js';
import { flushReported, mailToReportOn, reportOf } from '../emails/recipients/reported-mail.js';
import { clicked, opened, sendMail, summed } from '../roles/flusher/sent-mail.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { hoursOfEvents, storedHours } from './ingest/hourly-figures.js';

const HOUR_MS = 3_600_000;

let openDatabase: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  openDatabase = await openTestDatabase(12);
  ({ database } = openDatabase);
  await ensureEventPartitions(database, new Date(Date.now() - 5 * HOUR_MS));
  await database.query(`update stats_walk set due_at = now() - interval '1 s'`);
});
afterEach(() => openDatabase.close());

const count = () => new EarlierStats(database).count();
const byMachine = (event: EngagementEvent) => ({ ...event, verdict: MACHINE_VERDICTS[0]! }) as EngagementEvent;
const flush = (...events: EngagementEvent[]) =>
  flushBatch(
    database,
    events.map((event) => ({ event, streamEntryId: '1-1' })),
  );

/** Deletes the figures, which an earlier build did not have. */
async function forgetFigures(): Promise<void> {
  await database.query('delete from stat_deltas');
  await database.query('delete from hourly_stats');
  await database.query('update emails set in_stats = false, first_open_at = null, first_click_at = null');
}

type Figures = Record<string, unknown>;

/** Every figure of every hour, added up as the API does. */
function series(counters: readonly string[] = STAT_COUNTERS): Promise<Figures[]> {
  const sums = counters.map((counter) => `coalesce(sum(${counter}), 0)::integer as ${counter}`).join(', ');
  const some = counters.map((counter) => `coalesce(sum(${counter}), 0) <> 0`).join(' or ');
  return database.query<Figures>(`
    select organization_id, campaign_id, hour, ${sums} from stat_deltas
     group by 1, 2, 3 having ${some} order by 1, 2, 3`);
}

/** What happens to emails after their acceptance: nothing else is counted while these tests flush. */
const LATER = STAT_COUNTERS.filter((counter) => !['emails', 'sent', 'failed'].includes(counter));

async function engagement(): Promise<void> {
  const { emails } = await sendMail(database, [1, 1, 2, 1]);
  const [first, second, third] = emails.map(({ trackingId }) => trackingId) as [string, string, string];
  const ago = (hours: number): number => Date.now() - hours * HOUR_MS;
  await flush(opened(first, ago(2)), opened(first), byMachine(opened(second, ago(3))), opened(second, ago(1)));
  await flush(clicked(first), byMachine(clicked(third)), summed(third, 70, [5, 2], ago(1)), opened(third, ago(4)));
}

async function reports(): Promise<void> {
  const { emails } = await mailToReportOn(database, 3);
  const [one, two, three] = emails.map(({ id }) => id) as [string, string, string];
  const at = (hours: number) => ({ at: Date.now() - hours * HOUR_MS });
  await flushReported(database, [reportOf(one, 0, 'deferred', at(4)), reportOf(one, 1, 'delivered', at(3))]);
  await flushReported(database, [reportOf(one, 0, 'delivered', at(2)), reportOf(one, 0, 'complained', at(1))]);
  await flushReported(database, [reportOf(two, 2, 'bounced', { ...at(2), bounce: 'hard' })]);
  await flushReported(database, [reportOf(three, 0, 'unsubscribed', at(3)), reportOf(three, 1, 'unsubscribed', at(3))]);
  await flushReported(database, [reportOf(three, 0, 'resubscribed', at(2)), reportOf(three, 1, 'unsubscribed', at(1))]);
}

describe('emails from before figures by the hour existed', () => {
  it('count like those that were counted at the time of their events, with any number of workers and passes', async () => {
    await engagement();
    await reports();
    const live = await series(LATER);
    const firsts = () => database.query('select id, first_open_at, first_click_at from emails order by id');
    const liveFirsts = await firsts();
    expect(live.length).toBeGreaterThan(4);
    await forgetFigures();
    await Promise.all([count(), count(), count()]);
    await database.query(`update stats_walk set due_at = now() - interval '1 s'`);
    await count();
    expect(await series(LATER)).toEqual(live);
    expect(await firsts()).toEqual(liveFirsts);
  });

  it('count in the hours of their acceptance, sending and failure, by their status', async () => {
    await sendMail(database, [1, 1, 1, 1]);
    await database.query(
      `with numbered as (select id, row_number() over (order by id) as n from emails)
       update emails e set created_at = now() - interval '3 hours',
         status = (array['sent', 'failed', 'canceled', 'queued'])[n],
         sent_at = case when n = 1 then now() - interval '1 hour' end,
         failed_at = case when n = 2 then now() - interval '2 hours' end,
         canceled_at = case when n = 3 then now() end
        from numbered where numbered.id = e.id`,
    );
    await forgetFigures();
    await count();
    expect(
      (await series(['emails', 'sent', 'failed'])).map(({ emails, sent, failed }) => [emails, sent, failed]),
    ).toEqual([
      [2, 0, 0],
      [0, 0, 1],
      [0, 1, 0],
    ]);
  });

  it('count opens and clicks without a stored event in the hour of sending', async () => {
    await engagement();
    const sums = async (): Promise<Figures[]> =>
      database.query(`select ${LATER.map((name) => `sum(${name})::integer as ${name}`).join(', ')} from stat_deltas`);
    const live = await sums();
    await forgetFigures();
    await database.query('delete from events where type = $1', ['opened']);
    await database.query('delete from event_sums');
    await count();
    expect(await sums()).toEqual(live);
  });

  it('stay exact if a flush has read them before', async () => {
    const { emails } = await sendMail(database, [1, 1]);
    await forgetFigures();
    const work: Promise<unknown>[] = [];
    // The flush holds the lock of the email, and waits for the lock of its contact.
    const contact = 'select from contacts where id = $1 for no key update';
    await whileLocked(
      database,
      (sql) => sql.query(contact, [emails[0]!.contactIds[0]]),
      async () => {
        work.push(flush(opened(emails[0]!.trackingId)));
        await lockedOut(database, 1);
        work.push(count());
        await lockedOut(database, 2);
      },
    );
    await Promise.all(work);
    expect(await storedHours(database)).toEqual(await hoursOfEvents(database));
  });

  it('stay exact if a flush runs while they are counted', async () => {
    const { emails } = await sendMail(database, [1, 1]);
    await flush(opened(emails[0]!.trackingId));
    await forgetFigures();
    const work: Promise<unknown>[] = [];
    await whileLocked(
      database,
      (sql) => sql.query('lock table stat_deltas in share mode'),
      async () => {
        work.push(count());
        await lockedOut(database, 1);
        work.push(flush(opened(emails[0]!.trackingId), clicked(emails[1]!.trackingId)));
        await lockedOut(database, 2);
      },
    );
    await Promise.all(work);
    expect(await storedHours(database)).toEqual(await hoursOfEvents(database));
  });

  it('stay exact while many flushes and reports arrive', async () => {
    const { emails } = await sendMail(database, Array<number>(40).fill(1));
    const reported = await mailToReportOn(database, 4);
    const trackingIds = emails.map(({ trackingId }) => trackingId);
    await flush(...trackingIds.map((id) => opened(id, Date.now() - HOUR_MS)));
    await forgetFigures();
    const round = (n: number): Promise<unknown>[] => [
      flush(...trackingIds.map((id, index) => ((index + n) % 2 === 0 ? opened(id) : clicked(id)))),
      flushReported(
        database,
        reported.emails.map(({ id }) => reportOf(id, n % 3, 'delivered')),
      ),
      count(),
    ];
    await Promise.all([0, 1, 2, 3].flatMap(round));
    await database.query(`update stats_walk set due_at = now() - interval '1 s'`);
    await count();
    expect(await storedHours(database)).toMatchObject(await hoursOfEvents(database));
    const [row] = await database.query<Figures>('select sum(delivered)::integer as delivered from stat_deltas');
    expect(row).toEqual({ delivered: 12 });
  });
});
