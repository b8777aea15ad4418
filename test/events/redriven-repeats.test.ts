import { pino } from 'pino';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';
import type { Database } from '../../src/platform/database/database.js';
import { listDeadLetters } from '../../src/events/dead-letters/dead-letters.js';
import { redriveDeadLetters } from '../../src/events/dead-letters/redrive-dead-letters.js';
import type { EngagementEvent } from '../../src/events/engagement-event.js';
import { ensureEventPartitions } from '../../src/events/event-partitions.js';
import { EventHistory } from '../../src/events/event-retention.js';
import { flushEntries } from '../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../src/events/stream/codec/event-codec.js';
import { opened, readCounters, sendMail, summed } from '../roles/flusher/sent-mail.js';
import { silentPace } from '../support/silent-pace.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

/* Flushers that end again and again may have stored events of the entry that becomes a dead letter at last. */

const DAY_MS = 86_400_000;

let openDatabase: OpenTestDatabase;
let database: Database;
let trackingId: string;

beforeEach(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  trackingId = (await sendMail(database, [1])).emails[0]!.trackingId;
});
afterEach(() => openDatabase.close());

let entries = 0;
async function flush(packed: Buffer, deliveries: number): Promise<void> {
  await flushEntries(database, [{ id: `1-${entries++}`, packed, raw: packed, deliveries }]);
}

/** Stores these events, and has them in a dead letter, too. */
async function storeAndBury(...events: EngagementEvent[]): Promise<void> {
  const packed = packEntry(events.map(encodeEvent));
  await flush(packed, 1);
  await flush(packed, 11);
  expect(await listDeadLetters(database, 10)).toMatchObject([{ reason: 'too-many-deliveries' }]);
}

function keepEvents(environment: Record<string, string> = {}): Promise<void> {
  const settings = readSettings(environment) as RunSettings;
  return new EventHistory(database, settings, silentPace(), pino({ level: 'silent' })).maintain();
}

async function redrive(beforeFlush = async (): Promise<void> => undefined) {
  const appended: Buffer[] = [];
  const result = await redriveDeadLetters(database, async (payload) => void appended.push(payload), 'all');
  await beforeFlush();
  for (const payload of appended) await flush(payload, 1);
  return result;
}

async function letTimePass(days: number): Promise<void> {
  await database.query(`update event_sums set counted_at = counted_at - $1 * interval '1 day'`, [days]);
  await database.query(`update event_dead_letters set created_at = created_at - $1 * interval '1 day'`, [days]);
}

it('counts a stored sum once, however long its dead letter lies', async () => {
  await storeAndBury(summed(trackingId, 5, [2], Date.now() - 60 * DAY_MS));
  await letTimePass(60);
  await keepEvents();
  expect(await redrive()).toEqual({ redriven: 1, left: 0 });
  expect(await readCounters(database)).toMatchObject({ emailOpens: 5, emailClicks: 2, contactOpens: 5 });
  await letTimePass(36);
  await keepEvents();
  expect(await database.query('select from event_sums')).toEqual([]);
});

it('counts a stored sum once, also if old sums are deleted before flushers have read the redriven letter', async () => {
  await storeAndBury(summed(trackingId, 5, [], Date.now() - 60 * DAY_MS));
  await letTimePass(60);
  await redrive(() => keepEvents());
  expect(await readCounters(database)).toMatchObject({ emailOpens: 5, deadLetters: 0 });
});

it('leaves a letter whose sums may have been deleted before it failed again', async () => {
  await storeAndBury(summed(trackingId, 5, [], Date.now() - 40 * DAY_MS));
  await database.query('delete from event_sums');
  expect(await redrive()).toEqual({ redriven: 0, left: 1 });
  expect(await readCounters(database)).toMatchObject({ emailOpens: 5, deadLetters: 1 });
});

it('leaves a letter whose events may be among those that are deleted', async () => {
  const at = Date.now() - 70 * DAY_MS;
  await ensureEventPartitions(database, new Date(at));
  await storeAndBury(opened(trackingId, at), opened(trackingId));
  await letTimePass(70);
  await keepEvents({ EVENT_RETENTION_MONTHS: '1' });
  expect(await redrive()).toEqual({ redriven: 0, left: 1 });
  expect(await readCounters(database)).toMatchObject({ emailOpens: 2, deadLetters: 1 });
});

it('redrives events from deleted months that are certainly not stored', async () => {
  const at = Date.now() - 70 * DAY_MS;
  await flush(packEntry([encodeEvent(opened('unknown', at))]), 1);
  await keepEvents({ EVENT_RETENTION_MONTHS: '1' });
  await database.query(`update emails set tracking_id = 'unknown'`);
  expect(await redrive()).toEqual({ redriven: 1, left: 0 });
  expect(await readCounters(database)).toMatchObject({ emailOpens: 1, deadLetters: 0 });
});
