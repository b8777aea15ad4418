import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { connectForBlocking } from '../../../src/platform/redis/connect.js';
import { EntryStore } from '../../../src/events/stream/entry-store.js';
import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { Spool } from '../../../src/events/stream/spool.js';
import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { endingsIn, leaveSegmentIn, streamedEntries } from './left-segments.js';

const silent = pino({ level: 'silent' });
let server: PrivateRedis;
let redis: Redis;
let directory: string;
let store: EntryStore;
/** The connection of the store, which passes appends through `beforeAppend`. */
let meddled: Redis;
/** Changes the appends of the store before they reach Redis. */
let beforeAppend: (payload: string) => void;

beforeAll(async () => {
  server = await PrivateRedis.start('--save', '');
  // Without the timeout of commands, because the test reads megabytes by it.
  redis = connectForBlocking(server.url);
  redis.on('error', () => undefined);
  await eventually(() => redis.status === 'ready');
});

afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
  beforeAppend = () => undefined;
  meddled = new Proxy(redis, {
    get: (target, name) =>
      name === 'xadd'
        ? async (key: string, id: string, field: string, payload: Buffer) => {
            beforeAppend(payload.toString());
            return target.xadd(key, id, field, payload);
          }
        : (Reflect.get(target, name) as () => unknown).bind(target),
  });
  store = new EntryStore(meddled, new Spool(directory), systemClock, silent);
});

afterEach(async () => {
  await redis.config('SET', 'maxmemory', '0');
  await store.close();
  await redis.flushall();
  await rm(directory, { recursive: true, force: true });
});

const leaveSegment = (payloads: readonly string[], damage?: (bytes: Buffer) => Buffer) =>
  leaveSegmentIn(directory, payloads, damage);
const streamed = () => streamedEntries(redis);
const endings = () => endingsIn(directory);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `entry ${index}`);

describe('replaying the spool', () => {
  it('continues after the last entry that Redis accepted, even if it refuses some in between', async () => {
    const entries = numbered(200);
    await leaveSegment(entries);
    let tries = 0;
    beforeAppend = (payload) => {
      if (Number(payload.split(' ')[1]) >= 40 && tries++ < 10) throw new Error('READONLY');
    };
    store.start();
    await store.store(Buffer.from('first'));
    await eventually(async () => (await redis.xlen(EVENT_STREAM)) > 200);
    expect(tries).toBeGreaterThanOrEqual(10);
    expect((await streamed()).sort()).toEqual(['first', ...entries].sort());
    await eventually(async () => (await endings()).length === 0);
  });

  it('keeps on disk what is not in the stream when the process ends midway', async () => {
    await leaveSegment(numbered(50));
    beforeAppend = (payload) => {
      if (payload !== 'entry 0') throw new Error('unreachable');
    };
    store.start();
    await eventually(async () => (await redis.xlen(EVENT_STREAM)) === 1);
    await store.close();
    expect(await endings()).toEqual(['replaying']);
    beforeAppend = () => undefined;
    store = new EntryStore(redis, new Spool(directory), { now: () => Date.now() + 60_000 }, silent);
    store.start();
    await eventually(async () => (await endings()).length === 0);
    expect(new Set(await streamed())).toEqual(new Set(numbered(50)));
  });

  it('keeps one file, not one for each probe, while Redis responds and refuses every write', async () => {
    await redis.config('SET', 'maxmemory', '1');
    store.start();
    const probes = jest.spyOn(redis, 'set');
    const entries: string[] = [];
    while (probes.mock.calls.length < 8) {
      entries.push(`entry ${entries.length}`);
      expect(await store.store(Buffer.from(entries.at(-1)!))).toBe('spool');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await endings()).toEqual(['spool']);
    await redis.config('SET', 'maxmemory', '0');
    await eventually(async () => (await endings()).length === 0);
    expect((await streamed()).sort()).toEqual(entries.sort());
  });

  it('does not touch the folder once it is closed, even if it waits for Redis at that moment', async () => {
    store.start();
    await redis.config('SET', 'maxmemory', '1');
    expect(await store.store(Buffer.from('entry'))).toBe('spool');
    let respond = (): void => undefined;
    const ping = jest
      .spyOn(redis, 'ping')
      .mockImplementationOnce(() => new Promise((_, reject) => (respond = () => reject(new Error('closed')))));
    await eventually(() => ping.mock.calls.length > 0);
    await store.close();
    await rm(directory, { recursive: true });
    respond();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(readdir(directory)).rejects.toThrow('ENOENT');
  });

  it('lists the folder once for a hundred segments', async () => {
    const entries = numbered(100);
    for (const entry of entries) await leaveSegment([entry]);
    const spool = new Spool(directory);
    const listing = jest.spyOn(spool, 'waiting');
    let listingsWhileReplaying = 0;
    beforeAppend = () => (listingsWhileReplaying = listing.mock.calls.length);
    await store.close();
    store = new EntryStore(meddled, spool, systemClock, silent);
    store.start();
    await eventually(async () => (await endings()).length === 0);
    expect((await streamed()).sort()).toEqual(entries.sort());
    expect(listingsWhileReplaying).toBe(1);
  });

  it('loses one record to a damaged length or payload, and sets aside only segments that have lost one', async () => {
    await leaveSegment(['a', 'b', 'c'], (bytes) => {
      bytes[17] = 0xff; // the payload 'b'
      return bytes;
    });
    await leaveSegment(['d', 'e', 'f'], (bytes) => {
      bytes[2] = 0xff; // the length of 'd'
      return bytes;
    });
    await leaveSegment(['g', 'h'], (bytes) => Buffer.concat([bytes, Buffer.alloc(4096)]));
    store.start();
    await eventually(async () => (await endings()).join() === 'damaged');
    expect((await streamed()).sort()).toEqual(['a', 'c', 'd', 'e', 'f', 'g', 'h']);
    await eventually(() => store.unreadableSegments === 1, 15_000);
  });

  it('waits for the flushers before it fills the memory of Redis', async () => {
    const large = 'x'.repeat(64_000);
    for (let segment = 0; segment < 24; segment++) {
      await leaveSegment(Array.from({ length: 60 }, (_, index) => `${segment} ${index} ${large}`));
    }
    store.start();
    const most = (64 + 4) * 1024 * 1024;
    let taken = 0;
    while (taken < 24 * 60) {
      // Acts as a flusher: reads the entries and trims them.
      const length = await eventually(async () => (await redis.xlen(EVENT_STREAM)) || undefined);
      expect(length * 64_000).toBeLessThan(most);
      taken += await redis.xtrim(EVENT_STREAM, 'MAXLEN', 0);
    }
    await eventually(async () => (await endings()).length === 0);
  });

  it('appends no more while nobody reads a full stream, whether its segments are large or small', async () => {
    const large = 'x'.repeat(64_000);
    const segments = Array.from({ length: 50 }, (_, index) => Array<string>(index % 2 === 0 ? 60 : 8).fill(large));
    for (const segment of segments) await leaveSegment(segment);
    const passes = jest.spyOn(redis, 'ping');
    store.start();
    let [length, since] = [0, 0];
    await eventually(async () => {
      const before = length;
      length = await redis.xlen(EVENT_STREAM);
      if (length !== before) since = passes.mock.calls.length;
      return passes.mock.calls.length >= since + 8;
    });
    expect(length * 64_000).toBeLessThan((64 + 4) * 1024 * 1024);
    expect(length * 64_000).toBeGreaterThan(60 * 1024 * 1024);
    for (let taken = 0; taken < segments.flat().length;) taken += await redis.xtrim(EVENT_STREAM, 'MAXLEN', 0);
    await eventually(async () => (await endings()).length === 0);
  });
});
