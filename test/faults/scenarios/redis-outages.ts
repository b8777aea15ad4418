import { cp } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { decodeEntry } from '../../../src/events/stream/codec/event-codec.js';
import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { disconnect, waitSeconds, hold, reconnect, release } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

export function redisRestart(seconds: number, id = `F07-${seconds}`): Scenario {
  return {
    id,
    fault: `Redis killed -9, and back after ${seconds} s`,
    withinMs: 60_000,
    async inject({ testbed, startTraffic, clients, expect, note }) {
      const load = startTraffic({ sendsPerSecond: 5, hitsPerSecond: 20 });
      await waitSeconds(1);
      await testbed.redis.kill();
      await waitSeconds(seconds);
      await testbed.redis.start();
      const returnedAt = Date.now();
      const resumedAt = await eventually(() => testbed.sendGrid.messages.find(({ at }) => at > returnedAt)?.at, 60_000);
      const pause = (resumedAt - returnedAt) / 1_000;
      note(`workers continued ${pause} s after its return`);
      expect('workers continue within 30 s', pause < 30);
      await load.stop();
      expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
      expect('every send got a 2xx at the first attempt', clients.history.repeatedSends.length === 0);
    },
  };
}

export const redisFlushed: Scenario = {
  id: 'F08',
  fault: 'FLUSHALL under load, twice',
  withinMs: 90_000,
  async inject({ testbed, startTraffic, clients, note }) {
    const load = startTraffic({ sendsPerSecond: 20, hitsPerSecond: 60 });
    for (let round = 0; round < 2; round++) {
      await waitSeconds(1.5);
      for (const id of await flushAll(testbed)) clients.history.destroyedEvents.add(id);
    }
    await waitSeconds(1);
    await load.stop();
    note(`${clients.history.destroyedEvents.size} events were only in the stream when Redis was flushed`);
  },
};

/** Flushes Redis. Resolves with the IDs of the events that were in the stream at that moment. */
export async function flushAll(testbed: ScenarioContext['testbed']): Promise<string[]> {
  const replies = await testbed.withRedis((redis) =>
    redis.multi().xrangeBuffer(EVENT_STREAM, '-', '+').flushall().exec(),
  );
  return idsIn((replies?.[0]?.[1] ?? []) as [Buffer, Buffer[]][]);
}

/** The IDs of the events in stream entries. */
function idsIn(entries: readonly [Buffer, Buffer[]][]): string[] {
  return entries.flatMap(([, fields]) => decodeEntry(fields[1]!).events.map(({ id }) => id));
}

export const redisHung: Scenario = {
  id: 'F09',
  fault: 'Redis hangs for 45 s',
  withinMs: 90_000,
  async inject({ testbed, startTraffic, clients, expect }) {
    const load = startTraffic();
    await waitSeconds(1);
    testbed.redis.freeze();
    await waitSeconds(45);
    testbed.redis.thaw();
    await load.stop();
    expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
  },
};

export const redisLostToSomeWorkers: Scenario = {
  id: 'F10',
  fault: 'Redis is out of reach of one worker for 30 s, first silent, then cut off',
  withinMs: 90_000,
  async inject({ testbed, startTraffic }) {
    const load = startTraffic();
    const cutOff = testbed.workers.slice(0, 1);
    await waitSeconds(1);
    hold(cutOff, 'redis');
    await waitSeconds(15);
    await disconnect(cutOff, 'redis');
    await waitSeconds(15);
    release(cutOff, 'redis');
    await reconnect(cutOff, 'redis');
    await load.stop();
  },
};

export const redisRestored: Scenario = {
  id: 'F11',
  fault: 'Redis comes back with data that is 5 s old, while events are in the spools of edges that could not reach it',
  withinMs: 120_000,
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const load = startTraffic();
    await waitSeconds(2);
    await testbed.redis.saveState();
    await waitSeconds(4);
    // From here on, events are only in the spools.
    const hitsBefore = clients.history.hits.length;
    hold(testbed.edges, 'redis');
    await waitSeconds(1);
    await testbed.redis.kill();
    const events = await eventsInLostStream(testbed);
    await testbed.redis.restoreState();
    await testbed.redis.start();
    release(testbed.edges, 'redis');
    await waitSeconds(1);
    await load.stop();
    for (const id of events) clients.history.destroyedEvents.add(id);
    expect('events went to the spools', clients.history.hits.length > hitsBefore);
    note(`${events.length} events were in the lost stream when Redis was killed`);
  },
};

/** The IDs of all events in the stream when Redis was killed, flushed or not: only these may be lost. */
async function eventsInLostStream(testbed: ScenarioContext['testbed']): Promise<string[]> {
  const copy = await PrivateRedis.start();
  try {
    await copy.kill();
    await cp(testbed.redis.dataDirectory, copy.dataDirectory, { recursive: true });
    await copy.start();
    const client = new Redis(copy.url);
    try {
      return idsIn(await client.xrangeBuffer(EVENT_STREAM, '-', '+'));
    } finally {
      client.disconnect();
    }
  } finally {
    await copy.remove();
  }
}

export function redisFull(seconds: number, id = `F12-${seconds}`): Scenario {
  return {
    id,
    fault: `Redis refuses writes because its memory is full for ${seconds} s`,
    withinMs: 90_000,
    async inject({ testbed, startTraffic, clients, expect }) {
      const load = startTraffic();
      await waitSeconds(1);
      await testbed.withRedis((redis) => redis.config('SET', 'maxmemory', '1mb'));
      await waitSeconds(seconds);
      const stalled = await Promise.all(testbed.all.map(({ address }) => fetch(`${address}/health/live`)));
      expect(
        'no process reports that it is stalled: a restart would free no memory',
        stalled.every(({ ok }) => ok),
      );
      await testbed.withRedis((redis) => redis.config('SET', 'maxmemory', '0'));
      await load.stop();
      expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
      expect('every send got a 2xx at the first attempt', clients.history.repeatedSends.length === 0);
    },
  };
}
