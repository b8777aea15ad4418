import { jest } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { AppendMetrics } from '../../../src/events/stream/append-metrics.js';
import type { StreamEvent } from '../../../src/events/stream/stream-event.js';
import { EntryStore } from '../../../src/events/stream/entry-store.js';
import { EventAppender } from '../../../src/events/stream/event-appender.js';
import { decodeEntry } from '../../../src/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { Spool } from '../../../src/events/stream/spool.js';
import { eventually, withinASecond } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';

const silent = pino({ level: 'silent' });
let server: PrivateRedis;
let redis: Redis;
let directory: string;
let registry: Registry;
let appender: EventAppender;

beforeEach(async () => {
  server = await PrivateRedis.start();
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
  redis = connectForCommands(server.url);
  redis.on('error', () => undefined);
  await eventually(() => redis.status === 'ready');
  appender = newAppender(directory);
});

afterEach(async () => {
  server.thaw();
  await appender.close();
  redis.disconnect();
  await server.remove();
  await rm(directory, { recursive: true, force: true });
});

function newAppender(folder: string): EventAppender {
  registry = new Registry();
  const metrics = new AppendMetrics(registry);
  const store = new EntryStore(redis, new Spool(folder), systemClock, silent, (entries) =>
    metrics.recordReplay(entries),
  );
  store.start();
  return new EventAppender(store, metrics, silent);
}

const opened = () => ({ type: 'opened' as const, id: uuidV7(Date.now()), emailTrackingId: 'abc' });

async function streamed(): Promise<StreamEvent[]> {
  const entries = await redis.xrangeBuffer(EVENT_STREAM, '-', '+').catch(() => []);
  return entries.flatMap(([, fields]) => {
    expect(fields[0]!.toString()).toBe(ENTRY_FIELD);
    return decodeEntry(fields[1]!).events;
  });
}

async function appended(outcome: string): Promise<number> {
  const { values } = await registry.getSingleMetric('mailbeacon_events_appended_total')!.get();
  return values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0;
}

describe('the event appender', () => {
  it('resolves once Redis has an event, and packs events that arrive meanwhile into one entry', async () => {
    const first = opened();
    await appender.append(first);
    expect(await streamed()).toEqual([first]);
    const crowd = Array.from({ length: 300 }, opened);
    await Promise.all(crowd.map((event) => appender.append(event)));
    expect(await streamed()).toEqual([first, ...crowd]);
    expect(await redis.xlen(EVENT_STREAM)).toBeLessThanOrEqual(3);
    expect(await readdir(directory)).toEqual([]);
  });

  it('keeps entries small, even for many events at once', async () => {
    const entries: (readonly StreamEvent[])[] = [];
    const store = {
      store: async (entry: Buffer) => {
        entries.push(decodeEntry(entry).events);
        return 'stream';
      },
      close: () => Promise.resolve(),
    } as unknown as EntryStore;
    const packing = new EventAppender(store, new AppendMetrics(new Registry()), silent);
    const crowd = Array.from({ length: 2_000 }, opened);
    await Promise.all(crowd.map((event) => packing.append(event)));
    expect(entries).toHaveLength(Math.ceil(2_000 / 512));
    expect(entries.flat()).toEqual(crowd);
  });

  it('continues after more events than may wait in memory', async () => {
    const url = `https://shop.example/${'x'.repeat(8_000)}`;
    const click = (): StreamEvent => ({ ...opened(), type: 'clicked', linkPosition: 0, url });
    // 72 MB in all, while 64 MB may wait.
    for (let round = 0; round < 90; round++) {
      await Promise.all(Array.from({ length: 100 }, () => appender.append(click())));
      await redis.xtrim(EVENT_STREAM, 'MAXLEN', 0);
    }
    expect(await appended('lost')).toBe(0);
    expect((await appended('stream')) + (await appended('spool'))).toBe(9_000);
  });

  it('spools while Redis is frozen, and waits for it once rather than for each event', async () => {
    const before = opened();
    await appender.append(before);
    server.freeze();
    const xadd = jest.spyOn(redis, 'xadd');
    await appendWithinASecond();
    for (let count = 0; count < 20; count++) await appender.append(opened());
    expect(xadd).toHaveBeenCalledTimes(1);
    expect(await appended('spool')).toBe(21);
    server.thaw();
    await eventually(async () => new Set((await streamed()).map(({ id }) => id)).size === 22);
    await eventually(async () => (await readdir(directory)).length === 0);
  });

  it('spools while Redis is down, and replays under the same IDs when it is up again', async () => {
    await server.kill();
    const xadd = jest.spyOn(redis, 'xadd');
    const events = [await appendWithinASecond(), ...Array.from({ length: 49 }, opened)];
    for (const event of events.slice(1)) await appender.append(event);
    expect(xadd).toHaveBeenCalledTimes(1);
    await server.start();
    await eventually(async () => (await streamed()).length >= 50);
    expect(await streamed()).toEqual(events);
    await eventually(async () => (await readdir(directory)).length === 0);
    await appender.append(opened());
    expect(await appended('stream')).toBe(1);
  });

  it('spools when Redis responds that it is full', async () => {
    await redis.config('SET', 'maxmemory', '1');
    await appender.append(opened());
    expect(await appended('spool')).toBe(1);
    await redis.config('SET', 'maxmemory', '0');
    await eventually(async () => (await streamed()).length === 1);
  });

  it('replays the spool of an earlier process', async () => {
    await server.kill();
    const event = opened();
    await appender.append(event);
    await appender.close();
    const later = { now: () => Date.now() + 3_600_000 };
    await server.start();
    await eventually(() => redis.status === 'ready');
    const next = new EntryStore(redis, new Spool(directory), later, silent);
    next.start();
    await eventually(async () => (await streamed()).length === 1);
    expect(await streamed()).toEqual([event]);
    await next.close();
  });

  it('reports that an event is lost when neither Redis nor the disk accepts it, and continues after that', async () => {
    const blocked = join(directory, 'in-the-way');
    await writeFile(blocked, '');
    const blockedAppender = newAppender(blocked);
    await server.kill();
    await expect(blockedAppender.append(opened())).rejects.toThrow();
    expect(await appended('lost')).toBe(1);
    await server.start();
    await eventually(async () =>
      blockedAppender.append(opened()).then(
        () => true,
        () => false,
      ),
    );
    await blockedAppender.close();
  });
});

async function appendWithinASecond(): Promise<StreamEvent> {
  const event = opened();
  let stored = false;
  void appender.append(event).then(() => (stored = true));
  await withinASecond(() => stored);
  return event;
}
