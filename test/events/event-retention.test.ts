import { pino } from 'pino';
import { FoldedStats } from '../../src/campaigns/stats/fold-stats.js';
import { readStats } from '../../src/campaigns/stats/read-stats.js';
import { readStatsRange } from '../../src/campaigns/stats/stats-range.js';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';
import type { Database } from '../../src/platform/database/database.js';
import { storeDeadLetters } from '../../src/events/dead-letters/dead-letters.js';
import { EventHistory } from '../../src/events/event-retention.js';
import { ensureEventPartitions } from '../../src/events/event-partitions.js';
import { flushBatch } from '../../src/events/ingest/flush-batch.js';
import { flushEntries } from '../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { opened, readCounters, sendMail, summed } from '../roles/flusher/sent-mail.js';
import { flushReported, mailToReportOn, readReported, reportOf } from '../emails/recipients/reported-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';
import { silentPace } from '../support/silent-pace.js';

/** The month this many months ago, by the clock of Postgres. */
function monthsAgo(months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}
const deliveryPartition = (ago: number): string => `delivery_events_${monthsAgo(ago).replace('-', '_')}`;
const partitionOf = (month: string): string => `events_${month.replace('-', '_')}`;

let openDatabase: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  openDatabase = await openTestDatabase(8);
  ({ database } = openDatabase);
});

afterEach(() => openDatabase.close());

function keep(environment: Record<string, string>): Promise<void> {
  const settings = readSettings(environment) as RunSettings;
  return new EventHistory(database, settings, silentPace(), pino({ level: 'silent' })).maintain();
}

async function partitions(): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = 'events'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Opens of one email in each of the months, stored by the flusher as all events are. */
async function openIn(trackingId: string, months: readonly string[]): Promise<void> {
  for (const month of months) {
    const time = Date.parse(`${month}-15T00:00:00Z`);
    const packed = packEntry([encodeEvent(opened(trackingId, time))]);
    await flushEntries(database, [{ id: `1-${time}`, packed, raw: packed, deliveries: 1 }]);
  }
}

const months = async () =>
  (
    await database.query<{ month: string }>(
      `select distinct to_char(occurred_at at time zone 'UTC', 'YYYY-MM') as month from events order by 1`,
    )
  ).map(({ month }) => month);

describe('the history of events', () => {
  it('is kept whole by default, with partitions for the next months', async () => {
    const { emails } = await sendMail(database, [1]);
    await openIn(emails[0]!.trackingId, ['2020-01', monthsAgo(0)]);
    await keep({});
    expect(await months()).toEqual(['2020-01', monthsAgo(0)]);
    expect(await partitions()).toEqual([...[0, -1, -2].map((ago) => partitionOf(monthsAgo(ago))), 'events_default']);
  });

  it('deletes single events by whole months, and changes no counter', async () => {
    const { emails } = await sendMail(database, [1]);
    for (const ago of [3, 1]) await ensureEventPartitions(database, new Date(`${monthsAgo(ago)}-01`));
    await openIn(emails[0]!.trackingId, ['2020-01', ...[5, 4, 3, 2, 1, 0].map(monthsAgo)]);
    const before = await readCounters(database);
    await keep({ EVENT_RETENTION_MONTHS: '2' });
    expect(await months()).toEqual([2, 1, 0].map(monthsAgo));
    expect(await partitions()).not.toContain(partitionOf(monthsAgo(3)));
    const { emailOpens, campaignOpens, contactOpens } = await readCounters(database);
    expect({ emailOpens, campaignOpens, contactOpens }).toEqual({ emailOpens: 7, campaignOpens: 7, contactOpens: 7 });
    expect(before).toMatchObject({ emailOpens: 7, rows: 7 });
  });

  it('deletes no figure of a time series, whose hours are counted apart from the events', async () => {
    const { emails, organizationId, campaignId } = await sendMail(database, [1]);
    await openIn(emails[0]!.trackingId, ['2020-01', monthsAgo(0)]);
    const series = (campaign?: string) => {
      const range = readStatsRange({ from: '2020-01-01', interval: 'month' }, Date.now());
      return readStats(database, organizationId, campaign, range);
    };
    const before = [await series(), await series(campaignId)];
    for (const { points, totals } of before) expect([points[0]!.opens, totals.opens]).toEqual([1, 2]);
    await keep({ EVENT_RETENTION_MONTHS: '2' });
    expect(await months()).toEqual([monthsAgo(0)]);
    expect([await series(), await series(campaignId)]).toEqual(before);
    await new FoldedStats(database).fold();
    expect([await series(), await series(campaignId)]).toEqual(before);
  });

  it('waits for an event store that does not have all of them yet', async () => {
    const { emails } = await sendMail(database, [1]);
    await openIn(emails[0]!.trackingId, ['2020-01', monthsAgo(0)]);
    await database.query(`insert into event_store (id, caught_up_at) values (1, now() - interval '2 hours')`);
    await keep({ EVENT_RETENTION_MONTHS: '2' });
    expect(await months()).toEqual(['2020-01', monthsAgo(0)]);
    await database.query('update event_store set caught_up_at = now()');
    await database.query(`insert into event_store_gaps (hour) values ('2020-01-15T00:00:00Z')`);
    await keep({ EVENT_RETENTION_MONTHS: '2' });
    expect(await months()).toEqual(['2020-01', monthsAgo(0)]);
    await database.query('delete from event_store_gaps');
    await keep({ EVENT_RETENTION_MONTHS: '2' });
    expect(await months()).toEqual([monthsAgo(0)]);
  });

  it('deletes reports about recipients with the events of their months, and keeps their effects', async () => {
    const mail = await mailToReportOn(database, 1);
    await ensureEventPartitions(database, new Date(`${monthsAgo(3)}-01`));
    const times = ['2020-01', ...[3, 2, 0].map(monthsAgo)].map((month) => Date.parse(`${month}-15T00:00:00Z`));
    await flushReported(
      database,
      times.map((at) => reportOf(mail.emails[0]!.id, 0, 'delivered', { at })),
    );
    await keep({ EVENT_RETENTION_MONTHS: '2' });
    const kept = await database.query<{ partition: string }>(
      'select tableoid::regclass::text as partition from delivery_events order by occurred_at',
    );
    expect(kept.map(({ partition }) => partition)).toEqual([deliveryPartition(2), deliveryPartition(0)]);
    expect((await readReported(database, mail)).campaign['delivered']).toBe(1);
  });

  it('deletes one month at a time, even if more months are due', async () => {
    const { emails } = await sendMail(database, [1]);
    await ensureEventPartitions(database, new Date(`${monthsAgo(12)}-01`));
    await openIn(emails[0]!.trackingId, [12, 11, 10, 0].map(monthsAgo));
    await keep({ EVENT_RETENTION_MONTHS: '1' });
    expect(await months()).toEqual([11, 10, 0].map(monthsAgo));
    await keep({ EVENT_RETENTION_MONTHS: '1' });
    expect(await months()).toEqual([11, 10, 0].map(monthsAgo));
    await database.query(`update event_history set moved_at = moved_at - interval '1 hour'`);
    await keep({ EVENT_RETENTION_MONTHS: '1' });
    expect(await months()).toEqual([10, 0].map(monthsAgo));
  });

  it('counts an event from a deleted month, and then deletes it too', async () => {
    const { emails } = await sendMail(database, [1]);
    await keep({ EVENT_RETENTION_MONTHS: '1' });
    await openIn(emails[0]!.trackingId, ['2020-03']);
    expect(await readCounters(database)).toMatchObject({ emailOpens: 1, rows: 1 });
    await keep({ EVENT_RETENTION_MONTHS: '1' });
    expect(await readCounters(database)).toMatchObject({ emailOpens: 1, rows: 0 });
  });

  it('can be maintained by many processes at once while events are being stored', async () => {
    const { emails } = await sendMail(database, [1]);
    await ensureEventPartitions(database, new Date(`${monthsAgo(4)}-01`));
    await Promise.all([
      ...Array.from({ length: 4 }, () => keep({ EVENT_RETENTION_MONTHS: '1' })),
      openIn(emails[0]!.trackingId, Array(20).fill(monthsAgo(0)) as string[]),
    ]);
    expect(await partitions()).not.toContain(partitionOf(monthsAgo(4)));
    expect(await readCounters(database)).toMatchObject({ emailOpens: 20, rows: 20 });
  });

  it('recognizes a sum for 35 days after it was counted, even from an edge whose clock is months behind', async () => {
    const { emails } = await sendMail(database, [1]);
    const sum = summed(emails[0]!.trackingId, 5, [], Date.parse(`${monthsAgo(6)}-15T00:00:00Z`));
    const countAgain = async () => {
      await keep({});
      await flushBatch(database, [{ event: sum, streamEntryId: '1-1' }]);
      return (await readCounters(database)).emailOpens;
    };
    expect(await countAgain()).toBe(5);
    expect(await countAgain()).toBe(5);
    await database.query(`update event_sums set counted_at = counted_at - interval '34 days'`);
    expect(await countAgain()).toBe(5);
    await database.query(`update event_sums set counted_at = counted_at - interval '2 days'`);
    await keep({});
    expect(await database.query('select from event_sums')).toEqual([]);
  });

  it('deletes dead letters after their retention', async () => {
    const letter = (name: string) => ({
      streamEntryId: name,
      payload: Buffer.from(name),
      reason: 'malformed' as const,
    });
    await storeDeadLetters(database, [letter('old'), letter('young')]);
    await database.query(
      `update event_dead_letters
          set created_at = now() - case stream_entry_id when 'old' then interval '31 days' else '29 days' end`,
    );
    await keep({});
    expect(await readCounters(database)).toMatchObject({ deadLetters: 2 });
    await keep({ DEAD_LETTER_RETENTION_DAYS: '30' });
    expect(await database.query('select stream_entry_id as id from event_dead_letters')).toEqual([{ id: 'young' }]);
  });
});
