import { Pool } from 'pg';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { Database } from '../../src/platform/database/database.js';
import { ensureEventPartitions } from '../../src/events/event-partitions.js';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';

let testDatabase: TestDatabase;
let pool: Pool;
let database: Database;
const STORE_EVENT = `insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
  values ($1, 1, $2, 'opened', $1, 1)`;
const december = new Date('2026-12-31T23:59:59.999Z');

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  pool = new Pool({ connectionString: testDatabase.url, max: 12 });
  database = new Database(pool);
});

afterEach(async () => {
  await pool.end();
  await testDatabase.drop();
});

async function storeEvent(at: Date): Promise<void> {
  await database.query(STORE_EVENT, [uuidV7(at.getTime()), at]);
}

/** The number of events by the partition that holds them. */
async function eventsByPartition(): Promise<Record<string, number>> {
  const rows = await database.query<{ partition: string; events: number }>(
    `select tableoid::regclass::text as partition, count(*)::int as events from events group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ partition, events }) => [partition, events]));
}

describe('the partitions of events', () => {
  it('are created for this month and the next two, once', async () => {
    const months = ['2026_12', '2027_01', '2027_02'];
    expect(await ensureEventPartitions(database, december)).toEqual([
      ...months.map((month) => `events_${month}`),
      ...months.map((month) => `delivery_events_${month}`),
    ]);
    expect(await ensureEventPartitions(database, december)).toEqual([]);
    expect(await ensureEventPartitions(database, new Date('2027-01-01T00:00:00.000Z'))).toEqual([
      ...['events_2027_03', 'delivery_events_2027_03'],
    ]);
  });

  it('begin and end with the month in UTC, whatever the time zone of the session', async () => {
    await database.query(
      `alter role current_user in database ${new URL(testDatabase.url).pathname.slice(1)} set timezone = 'Asia/Tokyo'`,
    );
    await pool.end();
    pool = new Pool({ connectionString: testDatabase.url });
    database = new Database(pool);
    await ensureEventPartitions(database, december);
    for (const at of [
      '2026-11-30T23:59:59.999Z',
      '2026-12-01T00:00:00.000Z',
      '2026-12-31T23:59:59.999Z',
      '2027-01-01T00:00:00.000Z',
    ]) {
      await storeEvent(new Date(at));
    }
    expect(await eventsByPartition()).toEqual({ events_2026_12: 2, events_2027_01: 1, events_default: 1 });
  });

  it('take over rows of their month from the default partition', async () => {
    await storeEvent(new Date('2026-12-24T12:00:00.000Z'));
    await storeEvent(new Date('2020-01-01T00:00:00.000Z'));
    await ensureEventPartitions(database, december);
    expect(await eventsByPartition()).toEqual({ events_2026_12: 1, events_default: 1 });
  });

  it('are created once if many processes start together, while events are being stored', async () => {
    let storing = true;
    let stored = 0;
    const writers = [0, 1, 2].map(async () => {
      for (; storing || stored < 30; stored++) await storeEvent(december);
    });
    const made = await Promise.all(Array.from({ length: 6 }, () => ensureEventPartitions(database, december)));
    storing = false;
    await Promise.all(writers);
    const months = ['2026_12', '2027_01', '2027_02'];
    expect(made.flat().sort()).toEqual(
      ['delivery_events', 'events'].flatMap((table) => months.map((month) => `${table}_${month}`)),
    );
    expect(await eventsByPartition()).toEqual({ events_2026_12: stored });
  });

  it('are created after a transaction that has read events and now inserts one', async () => {
    const flush = await pool.connect();
    try {
      await flush.query('begin');
      await flush.query('select count(*) from events');
      const making = ensureEventPartitions(database, december);
      await eventually(async () => (await waitingForLocks()) > 0);
      await flush.query(STORE_EVENT, [uuidV7(december.getTime()), december]);
      await flush.query('commit');
      expect(await making).toContain('events_2026_12');
    } finally {
      flush.release(true);
    }
    expect(await eventsByPartition()).toEqual({ events_2026_12: 1 });
  });
});

/** Number of statements in this database that wait for a lock. */
async function waitingForLocks(): Promise<number> {
  const [row] = await database.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row!.waiting;
}
