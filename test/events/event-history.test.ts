import { Pool } from 'pg';
import { pino } from 'pino';
import { readSettings, type RunSettings } from '../../src/config/settings.js';
import { Database } from '../../src/database/database.js';
import { storeDeadLetters } from '../../src/events/dead-letters.js';
import { EventHistory } from '../../src/events/event-history.js';
import { ensureEventPartitions } from '../../src/events/event-partitions.js';
import { flushEntries } from '../../src/flusher/flush-entries.js';
import { encodeEvent, packEntry } from '../../src/stream/event-codec.js';
import { opened, readCounters, sendMail } from '../flusher/sent-mail.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';

const NOW = Date.UTC(2026, 10, 21, 12);
let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url, max: 8 });
  database = new Database(pool);
});

afterEach(async () => {
  await pool.end();
  await testDatabase.drop();
});

function keep(environment: Record<string, string>): Promise<void> {
  const settings = readSettings(environment) as RunSettings;
  return new EventHistory(database, settings, { now: () => NOW }, pino({ level: 'silent' })).keep();
}

async function partitions(): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = 'events'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Opens of one email in each of the months, which come through the flusher as all events do. */
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
  it('is kept whole unless told otherwise, with room for the months to come', async () => {
    const { emails } = await sendMail(database, [1]);
    await openIn(emails[0]!.trackingId, ['2020-01', '2026-11']);
    await keep({});
    expect(await months()).toEqual(['2020-01', '2026-11']);
    expect(await partitions()).toEqual(['events_2026_11', 'events_2026_12', 'events_2027_01', 'events_default']);
  });

  it('forgets single events by whole months, and no count with them', async () => {
    const { emails } = await sendMail(database, [1]);
    for (const month of ['2026-07', '2026-10']) await ensureEventPartitions(database, new Date(`${month}-01`));
    await openIn(emails[0]!.trackingId, ['2020-01', '2026-07', '2026-08', '2026-09', '2026-10', '2026-11']);
    const before = await readCounters(database);
    await keep({ EVENT_RETENTION_MONTHS: '2' });
    expect(await months()).toEqual(['2026-09', '2026-10', '2026-11']);
    expect(await partitions()).not.toContain('events_2026_08');
    const { emailOpens, campaignOpens, contactOpens } = await readCounters(database);
    expect({ emailOpens, campaignOpens, contactOpens }).toEqual({ emailOpens: 6, campaignOpens: 6, contactOpens: 6 });
    expect(before).toMatchObject({ emailOpens: 6, rows: 6 });
  });

  it('counts an event that comes from a forgotten month, and then forgets it too', async () => {
    const { emails } = await sendMail(database, [1]);
    await keep({ EVENT_RETENTION_MONTHS: '1' });
    await openIn(emails[0]!.trackingId, ['2026-03']);
    expect(await readCounters(database)).toMatchObject({ emailOpens: 1, rows: 1 });
    await keep({ EVENT_RETENTION_MONTHS: '1' });
    expect(await readCounters(database)).toMatchObject({ emailOpens: 1, rows: 0 });
  });

  it('may be kept by many processes at once while events are being stored', async () => {
    const { emails } = await sendMail(database, [1]);
    await ensureEventPartitions(database, new Date('2026-07-01'));
    await Promise.all([
      ...Array.from({ length: 4 }, () => keep({ EVENT_RETENTION_MONTHS: '1' })),
      openIn(emails[0]!.trackingId, Array(20).fill('2026-11') as string[]),
    ]);
    expect(await partitions()).not.toContain('events_2026_07');
    expect(await readCounters(database)).toMatchObject({ emailOpens: 20, rows: 20 });
  });

  it('forgets dead letters after the days that they are to be kept', async () => {
    const letter = (name: string) => ({
      streamEntryId: name,
      payload: Buffer.from(name),
      reason: 'malformed' as const,
    });
    await storeDeadLetters(database, [letter('old'), letter('young')]);
    await database.query(
      `update event_dead_letters set created_at = case stream_entry_id when 'old' then $1 else $2 end::timestamptz`,
      [new Date(NOW - 31 * 86_400_000), new Date(NOW - 29 * 86_400_000)],
    );
    await keep({});
    expect(await readCounters(database)).toMatchObject({ deadLetters: 2 });
    await keep({ DEAD_LETTER_RETENTION_DAYS: '30' });
    expect(await database.query('select stream_entry_id as id from event_dead_letters')).toEqual([{ id: 'young' }]);
  });
});
