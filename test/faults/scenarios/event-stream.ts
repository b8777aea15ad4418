import { randomBytes } from 'node:crypto';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { decodeEntry, encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM, FLUSHER_GROUP } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import { waitSeconds, hold, kill, release, start } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';
import { namedFields } from '../stream-groups.js';

export const flusherKilledBeforeAck: Scenario = {
  id: 'F18',
  fault: 'flushers killed -9 between COMMIT and XACK',
  withinMs: 120_000,
  async inject({ testbed, clients, deliveredEmails, expect }) {
    await eventually(async () => (await testbed.withRedis((redis) => redis.xlen(EVENT_STREAM))) === 0, 60_000);
    const opens = deliveredEmails.slice(0, testbed.flushers.length);
    // A lock delays the commit of the flush until Redis is out of reach.
    await testbed.database.transaction(async (sql) => {
      await sql.query('lock table events in share mode');
      // One open for each flusher: a flusher that waits reads no further entry.
      for (const { pixelPath } of opens) await clients.hit(pixelPath);
      await eventually(() => areFlushed(testbed, opens.length), 30_000);
      hold(testbed.flushers, 'redis');
    });
    await eventually(
      async () => (await storedOpens(testbed, clients.history.organizationId)) === clients.history.hits.length,
      30_000,
    );
    expect('nothing was acknowledged', (await readOpens(testbed)) === opens.length);
    await kill(testbed.flushers);
    release(testbed.flushers, 'redis');
    await start(testbed.flushers);
  },
};

export const repeatedEntries: Scenario = {
  id: 'F19',
  fault: 'every stream entry is appended 5 more times, and once more when it is stored',
  withinMs: 60_000,
  async inject({ testbed, startTraffic, note }) {
    const contents: Buffer[] = [];
    const repeating = testbed.withRedis(async (redis) => {
      let last = '$';
      const until = performance.now() + 3_000;
      while (performance.now() < until || contents.length === 0) {
        const reply = await redis.callBuffer('XREAD', 'BLOCK', 200, 'STREAMS', EVENT_STREAM, last);
        const [[, entries]] = (reply ?? [['', []]]) as [[unknown, [Buffer, Buffer[]][]]];
        for (const [id, fields] of entries) {
          last = id.toString();
          if (fields[0]!.toString() !== ENTRY_FIELD) continue;
          contents.push(fields[1]!);
          for (let copy = 0; copy < 5; copy++) await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, fields[1]!);
          last = (await redis.xrevrange(EVENT_STREAM, '+', '-', 'COUNT', 1))[0]?.[0] ?? last;
        }
      }
      return last;
    });
    const load = startTraffic({ sendsPerSecond: 0, hitsPerSecond: 60 });
    const last = await repeating;
    note(`${contents.length} entries were repeated`);
    await load.stop();
    // The copies above may be in one batch with the first. Stored entries leave the stream.
    await testbed.withRedis(async (redis) => {
      await eventually(async () => (await redis.xrange(EVENT_STREAM, '-', last, 'COUNT', 1)).length === 0, 60_000);
      for (const content of contents) await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, content);
    });
  },
};

const BAD_ENTRIES = 5;

export const poisonedEntries: Scenario = {
  id: 'F20',
  fault: 'entries with a missing field, a NUL, an unknown email or no content, between good ones',
  withinMs: 60_000,
  deadLetters: BAD_ENTRIES,
  async inject({ testbed, startTraffic, note }) {
    const load = startTraffic({ sendsPerSecond: 0, hitsPerSecond: 60 });
    const poison = await poisonedContents(testbed);
    for (const [field, value] of poison) {
      await waitSeconds(0.2);
      await testbed.withRedis((redis) => redis.xadd(EVENT_STREAM, '*', field, value));
    }
    await load.stop();
    note(`${poison.length} bad entries were appended`);
  },
  async verify({ testbed, expect }) {
    expect('each bad entry is a dead letter', (await deadLetters(testbed)) === BAD_ENTRIES);
  },
};

async function poisonedContents(testbed: ScenarioContext['testbed']): Promise<[field: string, value: Buffer][]> {
  const click = { type: 'clicked', linkPosition: 0, url: 'https://shop.example/\0' } as const;
  const id = () => uuidV7(Date.now());
  const [row] = await testbed.database.query<{ id: string }>('select tracking_id as id from emails limit 1');
  return [
    ['unknown field', Buffer.from('content')],
    [ENTRY_FIELD, packEntry([encodeEvent({ ...click, id: id(), emailTrackingId: row!.id })])],
    [ENTRY_FIELD, packEntry([encodeEvent({ type: 'opened', id: id(), emailTrackingId: 'deleted-email' })])],
    [ENTRY_FIELD, Buffer.alloc(0)],
    [ENTRY_FIELD, randomBytes(64).fill(9, 0, 1)],
  ];
}

/**
 * True when flushers have read every open, and each of them waits for a lock, so that none has dropped what it read.
 * Events of other types may still arrive and stay unread: a late background task of another scenario sends emails.
 */
async function areFlushed(testbed: ScenarioContext['testbed'], opens: number): Promise<boolean> {
  const readers = await testbed.withRedis(async (redis) => {
    const consumers = namedFields(await redis.xinfo('CONSUMERS', EVENT_STREAM, FLUSHER_GROUP));
    return consumers.filter(({ pending }) => Number(pending) > 0).length;
  });
  const [waiting] = await testbed.database.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
      where application_name = 'mailbeacon' and wait_event_type = 'Lock'`,
  );
  return (await readOpens(testbed)) === opens && waiting!.n >= readers;
}

/** The number of opens that flushers have read and not acknowledged. */
async function readOpens(testbed: ScenarioContext['testbed']): Promise<number> {
  return testbed.withRedis(async (redis) => {
    const [group] = namedFields(await redis.xinfo('GROUPS', EVENT_STREAM));
    const entries = await redis.xrangeBuffer(EVENT_STREAM, '-', String(group!['last-delivered-id']));
    const events = entries.flatMap(([, fields]) => decodeEntry(fields[1]!).events);
    return events.filter(({ type }) => type === 'opened').length;
  });
}

async function storedOpens({ database }: ScenarioContext['testbed'], organizationId: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select coalesce(sum(opens), 0)::int as n from emails where organization_id = $1`,
    [organizationId],
  );
  return row!.n;
}

/** Counts those of the whole testbed: other scenarios cause none. */
async function deadLetters({ database }: ScenarioContext['testbed']): Promise<number> {
  const [row] = await database.query<{ n: number }>('select count(*)::int as n from event_dead_letters');
  return row!.n;
}
