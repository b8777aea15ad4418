import { Pool } from 'pg';
import { Database } from '../../../src/platform/database/database.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { listDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { redriveDeadLetters } from '../../../src/events/dead-letters/redrive-dead-letters.js';
import { ensureEventPartitions } from '../../../src/events/event-partitions.js';
import { flushEntries } from '../../support/flush-entries.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import type { StreamEntry } from '../../../src/events/stream/stream-entry.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { clicked, countersAfter, opened, readCounters, sendMail } from '../../roles/flusher/sent-mail.js';

let openDatabase: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  openDatabase = await openTestDatabase(8);
  ({ database } = openDatabase);
});

afterEach(() => openDatabase.close());

let entries = 0;
function entryOf(events: readonly EngagementEvent[], deliveries = 1): StreamEntry {
  return rawEntry(packEntry(events.map(encodeEvent)), deliveries);
}
function rawEntry(packed: Buffer | undefined, deliveries = 1, raw: Buffer | undefined = packed): StreamEntry {
  return { id: `1-${entries++}`, packed, raw, deliveries };
}

describe('flushing entries', () => {
  it('stores one row per contact and updates every counter', async () => {
    const mail = await sendMail(database, [2, 2]);
    const [first, second] = mail.emails;
    const events = [
      opened(first!.trackingId),
      opened(first!.trackingId),
      clicked(first!.trackingId, 0, 'https://shop.example/a'),
      clicked(first!.trackingId, 3, 'https://shop.example/a'),
      clicked(second!.trackingId, 1, 'https://shop.example/b'),
    ];
    const result = await flushEntries(database, [entryOf(events)]);
    expect(result).toMatchObject({ stored: 5, repeated: 0, deadLetters: [] });
    expect(await readCounters(database)).toEqual(countersAfter(2, 3, 2));
    expect(await database.query('select url, clicks::int from campaign_links order by url')).toEqual([
      { url: 'https://shop.example/a', clicks: 2 },
      { url: 'https://shop.example/b', clicks: 1 },
    ]);
    expect(await database.query('select position, clicks::int from email_link_clicks order by position')).toEqual([
      { position: 0, clicks: 1 },
      { position: 1, clicks: 1 },
      { position: 3, clicks: 1 },
    ]);
  });

  it('counts an event once, even if it is repeated in other batches', async () => {
    const { emails } = await sendMail(database, [1]);
    const event = clicked(emails[0]!.trackingId);
    const company = opened(emails[0]!.trackingId);
    await flushEntries(database, [entryOf([event, event]), entryOf([event])]);
    await flushEntries(database, [entryOf([company, event])]);
    const last = await flushEntries(database, [entryOf([event]), entryOf([company])]);
    expect(last).toMatchObject({ stored: 0, repeated: 2 });
    expect(await readCounters(database)).toEqual(countersAfter(1, 1));
  });

  it('T08: stores an event once even if the second delivery comes in another month', async () => {
    const { emails } = await sendMail(database, [1]);
    const lastMillisecond = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    await ensureEventPartitions(database, new Date(lastMillisecond));
    const event = opened(emails[0]!.trackingId, lastMillisecond);
    await flushEntries(database, [entryOf([event])]);
    await ensureEventPartitions(database, new Date(lastMillisecond + 1));
    await flushEntries(database, [entryOf([event])]);
    expect(await readCounters(database)).toEqual(countersAfter(1, 0));
    expect(await database.query('select occurred_at from events_2026_11')).toEqual([
      { occurred_at: new Date(lastMillisecond) },
    ]);
  });

  it('counts a sent event as activity of the contacts and nothing else', async () => {
    const { emails } = await sendMail(database, [1]);
    const time = Date.UTC(2026, 10, 20);
    await flushEntries(database, [
      entryOf([{ type: 'sent', id: uuidV7(time), emailTrackingId: emails[0]!.trackingId }]),
    ]);
    expect(await readCounters(database)).toEqual({ ...countersAfter(0, 0), rows: 1, events: 1 });
    expect(await database.query('select last_activity_at as at from contacts')).toEqual([{ at: new Date(time) }]);
  });

  it('never moves the last activity back', async () => {
    const { emails } = await sendMail(database, [1]);
    const [earlier, later] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 5, 1)];
    await flushEntries(database, [entryOf([opened(emails[0]!.trackingId, later)])]);
    await flushEntries(database, [entryOf([opened(emails[0]!.trackingId, earlier)])]);
    expect(await database.query('select last_activity_at as at from contacts')).toEqual([{ at: new Date(later) }]);
  });

  it('uses the latest time of a batch as the last activity, in any order', async () => {
    const { emails } = await sendMail(database, [1]);
    const [earlier, later] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 5, 1)];
    const { trackingId } = emails[0]!;
    await flushEntries(database, [entryOf([opened(trackingId, later), opened(trackingId, earlier)])]);
    expect(await database.query('select last_activity_at as at from contacts')).toEqual([{ at: new Date(later) }]);
  });

  it('makes bad entries dead letters with their reasons, and stores everything else', async () => {
    const { emails } = await sendMail(database, [1]);
    const { trackingId } = emails[0]!;
    const good = Array.from({ length: 40 }, () => opened(trackingId));
    const nul = clicked(trackingId, 0, 'https://shop.example/\0');
    const position = clicked(trackingId, 40_000);
    const unknown = opened('nobody-knows');
    const worn = opened(trackingId);
    const batch = [
      entryOf([...good.slice(0, 20), nul, ...good.slice(20)]),
      entryOf([position, unknown]),
      rawEntry(undefined, 1, Buffer.from('another field')),
      rawEntry(Buffer.alloc(0)),
      rawEntry(undefined, 1, undefined),
      rawEntry(Buffer.from([9, 9, 9])),
      entryOf([worn], 11),
    ];
    const result = await flushEntries(database, batch);
    expect(result.stored).toBe(40);
    expect(await readCounters(database)).toEqual({ ...countersAfter(40, 0), deadLetters: 7 });
    const letters = await listDeadLetters(database, 10);
    expect(letters.map(({ reason }) => reason).sort()).toEqual([
      'data-error-22003',
      'data-error-22021',
      'missing-field',
      'too-many-deliveries',
      'unknown-email',
      'unknown-version',
      'unknown-version',
    ]);
    expect(letters.find(({ reason }) => reason === 'data-error-22021')!.payload).toEqual(packEntry([encodeEvent(nul)]));
    await flushEntries(database, batch);
    expect(await readCounters(database)).toEqual({ ...countersAfter(40, 0), deadLetters: 7 });
  });

  it('stores retried dead letters once the missing email exists', async () => {
    await flushEntries(database, [entryOf([opened('comes-back')]), entryOf([opened('stays-away')])]);
    const { emails } = await sendMail(database, [1]);
    await database.query(`update emails set tracking_id = 'comes-back' where id = $1`, [emails[0]!.id]);
    const appended: Buffer[] = [];
    const append = async (payload: Buffer) => void appended.push(payload);
    expect(await redriveDeadLetters(database, append, 'all')).toEqual({ redriven: 2, left: 0 });
    expect(await listDeadLetters(database, 10)).toEqual([]);
    await flushEntries(
      database,
      appended.map((payload) => rawEntry(payload)),
    );
    expect(await readCounters(database)).toEqual({ ...countersAfter(1, 0), deadLetters: 1 });
    const [left] = await listDeadLetters(database, 10);
    expect(await redriveDeadLetters(database, append, { id: left!.id })).toEqual({ redriven: 1, left: 0 });
    expect(await redriveDeadLetters(database, append, { id: left!.id })).toEqual({ redriven: 0, left: 0 });
  });

  it('stays exact when several flushers and senders update the same rows', async () => {
    const { emails, organizationId, campaignId } = await sendMail(database, [3, 3, 3, 3]);
    const events = Array.from({ length: 400 }, (_, index) => {
      const { trackingId } = emails[index % emails.length]!;
      return index % 2 ? clicked(trackingId, index % 7, `https://shop.example/${index % 5}`) : opened(trackingId);
    });
    const shuffled = (seed: number) => events.toSorted((a, b) => keyed(a, seed) - keyed(b, seed));
    const flushers = [1, 2, 3].map(async (seed) => {
      const order = shuffled(seed);
      for (let at = 0; at < order.length; at += 40) await flushEntries(database, [entryOf(order.slice(at, at + 40))]);
    });
    const sender = async () => {
      for (let round = 0; round < 60; round++) {
        await database.transaction(async (sql) => {
          const { id, contactIds } = emails[round % emails.length]!;
          await sql.query(`update emails set attempts = attempts + 1 where id = $1`, [id]);
          await sql.query(
            `select from contacts where id = any($1::bigint[]) order by organization_id, address_key for no key update`,
            [contactIds],
          );
          await sql.query(`update contacts set emails = emails + 1 where id = any($1::bigint[])`, [contactIds]);
          await sql.query(
            `insert into campaign_totals (campaign_id, shard, emails) values ($1, $2, 1)
             on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + 1`,
            [campaignId, round % 4],
          );
        });
      }
    };
    await Promise.all([...flushers, sender(), sender()]);
    expect(await readCounters(database)).toEqual(countersAfter(200, 200, 3));
    expect(
      await database.query('select count(*)::int from contacts where organization_id = $1', [organizationId]),
    ).toEqual([{ count: 12 }]);
  });

  it('throws, and makes no dead letter, when Postgres is down', async () => {
    const { emails } = await sendMail(database, [1]);
    const unreachable = new Pool({ connectionString: openDatabase.url.replace(/:\d+\//, ':1/') });
    await expect(
      flushEntries(new Database(unreachable), [entryOf([opened(emails[0]!.trackingId)])]),
    ).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    await unreachable.end();
    expect(await readCounters(database)).toEqual(countersAfter(0, 0));
  });
});

function keyed(event: EngagementEvent, seed: number): number {
  return parseInt(event.id.slice(-6), 16) % (7919 * seed);
}
