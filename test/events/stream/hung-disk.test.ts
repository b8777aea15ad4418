import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { AppendMetrics } from '../../../src/events/stream/append-metrics.js';
import { decodeEntry } from '../../../src/events/stream/codec/event-codec.js';
import { EventAppender } from '../../../src/events/stream/event-appender.js';
import { OpenSegment } from '../../../src/events/stream/open-segment.js';
import { SpoolSpace } from '../../../src/events/stream/spool-space.js';
import type { StreamEvent } from '../../../src/events/stream/stream-event.js';
import { Spool } from '../../../src/events/stream/spool.js';
import { EntryStore } from '../../../src/events/stream/entry-store.js';
import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';

const silent = pino({ level: 'silent' });
let server: PrivateRedis;
let redis: Redis;
let directory: string;
let appender: EventAppender;
/** Lets the disk respond again. */
let release: () => void;

beforeEach(async () => {
  server = await PrivateRedis.start();
  redis = connectForCommands(server.url);
  redis.on('error', () => undefined);
  await eventually(() => redis.status === 'ready');
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
  const store = new EntryStore(redis, new Spool(directory), systemClock, silent);
  appender = new EventAppender(store, new AppendMetrics(new Registry()), silent);
  store.start();
  hang();
});

afterEach(async () => {
  release();
  await appender.close();
  jest.restoreAllMocks();
  redis.disconnect();
  await server.remove();
  await rm(directory, { recursive: true, force: true });
});

/** Every access to the disk waits from now on. */
function hang(): void {
  const responds = new Promise<void>((resolve) => (release = resolve));
  const { append } = OpenSegment.prototype;
  const { list } = SpoolSpace.prototype;
  jest.spyOn(OpenSegment.prototype, 'append').mockImplementation(async function (this: OpenSegment, record) {
    await responds;
    return append.call(this, record);
  });
  jest.spyOn(SpoolSpace.prototype, 'list').mockImplementation(async function (this: SpoolSpace) {
    await responds;
    return list.call(this);
  });
}

const opened = () => ({ type: 'opened' as const, id: uuidV7(Date.now()), emailTrackingId: 'abc' });

async function streamed(): Promise<Set<string>> {
  const entries = await redis.xrangeBuffer(EVENT_STREAM, '-', '+').catch(() => []);
  return new Set(entries.flatMap(([, fields]) => decodeEntry(fields[1]!).events.map(({ id }) => id)));
}

describe('while the disk of the spool does not respond', () => {
  it('events that wait for it go to Redis as soon as that accepts them', async () => {
    await server.kill();
    const waiting = [opened(), opened()];
    let stored = 0;
    const append = (event: StreamEvent) => void appender.append(event).then(() => stored++);
    for (const event of waiting) append(event);
    await server.start();
    await eventually(() => stored === waiting.length);
    const later = opened();
    append(later);
    await eventually(() => stored === waiting.length + 1);
    expect(await streamed()).toEqual(new Set([...waiting, later].map(({ id }) => id)));
  });

  it('a reader learns that the event is late, each once, and the event is stored when the disk responds', async () => {
    await server.kill();
    const outcomes: string[] = [];
    const add = (name: string) =>
      appender.appendFor(opened(), {
        stored: () => outcomes.push(`${name} stored`),
        lost: () => outcomes.push(`${name} lost`),
        delayed: () => outcomes.push(`${name} delayed`),
      });
    add('first');
    await eventually(() => outcomes.length === 1);
    add('second');
    await eventually(() => outcomes.length === 2);
    expect(outcomes).toEqual(['first delayed', 'second delayed']);
    release();
    await eventually(() => outcomes.length === 4);
    expect(outcomes.slice(2)).toEqual(['first stored', 'second stored']);
  });
});
