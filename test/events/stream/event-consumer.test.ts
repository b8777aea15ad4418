import { once } from 'node:events';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { EventConsumer } from '../../../src/events/stream/event-consumer.js';
import { ENTRY_FIELD, EVENT_STREAM, FLUSHER_GROUP } from '../../../src/events/stream/stream-keys.js';
import { createTestRedis } from '../../support/services.js';
import { eventually } from '../../support/eventually.js';

/** A wait this long that nothing interrupts fails, because the consumer takes its connection for dead. */
const FOREVER_MS = 3_600_000;

let redis: Redis;
let consumers: EventConsumer[];

beforeEach(async () => {
  const { url } = await createTestRedis();
  redis = connectForCommands(url);
  await eventually(() => redis.status === 'ready');
  consumers = ['one', 'two', 'three'].map((name) => new EventConsumer(redis, name));
  await Promise.all(consumers.map((consumer) => consumer.join()));
});

afterEach(() => {
  for (const consumer of consumers) consumer.close();
  redis.disconnect();
});

type Step =
  { do: 'append' } | { do: 'read'; who: number; count: number } | { do: 'acknowledge'; who: number; count: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ do: 'append' as const }),
  fc.record({ do: fc.constant('read' as const), who: fc.nat(2), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('acknowledge' as const), who: fc.nat(2), count: fc.integer({ min: 1, max: 3 }) }),
);

describe('the event consumer', () => {
  it('T10: trims nothing that is unread or not acknowledged, and everything once all is acknowledged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.infiniteStream(fc.boolean()),
        async (steps, newestFirst) => {
          await redis.del(EVENT_STREAM);
          await consumers[0]!.join();
          const unread: string[] = [];
          const held: string[][] = [[], [], []];
          for (const current of steps) {
            if (current.do === 'append') unread.push((await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, 'x'))!);
            else if (current.do === 'read') {
              const entries = await consumers[current.who]!.readNew(current.count, 1);
              held[current.who]!.push(...entries.map(({ id }) => id));
              expect(unread.splice(0, entries.length)).toEqual(entries.map(({ id }) => id));
            } else {
              const mine = held[current.who]!;
              const at = newestFirst.next().value ? Math.max(0, mine.length - current.count) : 0;
              const ids = mine.splice(at, current.count);
              if (ids.length > 0) await consumers[current.who]!.acknowledge(ids);
            }
            const kept = (await redis.xrange(EVENT_STREAM, '-', '+')).map(([id]) => id);
            expect(kept).toEqual(expect.arrayContaining([...unread, ...held.flat()]));
          }
          for (const [who, ids] of held.entries()) if (ids.length > 0) await consumers[who]!.acknowledge(ids);
          if (held.flat().length > 0) expect(await redis.xlen(EVENT_STREAM)).toBe(unread.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('trims nothing that another group has not read', async () => {
    await redis.xgroup('CREATE', EVENT_STREAM, 'another', '0');
    await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, 'x');
    const [entry] = await consumers[0]!.readNew(1, 100);
    await consumers[0]!.acknowledge([entry!.id]);
    expect(await redis.xlen(EVENT_STREAM)).toBe(1);
  });

  it('returns its pending entries again, with their number of deliveries', async () => {
    const id = (await redis.xadd(EVENT_STREAM, '*', 'other', 'x', ENTRY_FIELD, 'packed'))!;
    expect(await consumers[0]!.readNew(10, 100)).toMatchObject([{ id, packed: Buffer.from('packed'), deliveries: 1 }]);
    expect(await consumers[0]!.readOwn(10, '0')).toMatchObject([{ id, deliveries: 2 }]);
    expect(await consumers[0]!.readOwn(10, id)).toEqual([]);
  });

  it('claims the entries of a silent consumer only', async () => {
    for (let count = 0; count < 2; count++) await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, 'x');
    const [old] = await consumers[0]!.readNew(1, 100);
    await consumers[0]!.readNew(1, 100);
    await redis.xclaim(EVENT_STREAM, FLUSHER_GROUP, 'one', 0, old!.id, 'IDLE', 120_000);
    expect(await consumers[1]!.claimStale(60_000)).toBe(1);
    expect((await consumers[1]!.readOwn(10, '0')).map(({ id }) => id)).toEqual([old!.id]);
    expect(await consumers[0]!.readOwn(10, '0')).toHaveLength(1);
  });

  it('keeps entries that it still works on from being claimed, without another delivery', async () => {
    const [one, two] = consumers;
    const id = (await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, 'x'))!;
    await one!.readNew(1);
    await redis.xclaim(EVENT_STREAM, FLUSHER_GROUP, one!.name, 0, id, 'IDLE', 3_600_000, 'JUSTID');
    await one!.keep([id]);
    expect(await two!.claimStale(3_000_000)).toBe(0);
    expect(await one!.deliveriesAfter(10, '0')).toEqual([1]);
  });

  it('reports an entry that was deleted while pending, so that it can be released', async () => {
    const id = (await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, 'x'))!;
    await consumers[0]!.readNew(1, 100);
    await redis.xdel(EVENT_STREAM, id);
    expect(await consumers[0]!.readOwn(10, '0')).toMatchObject([{ id, packed: undefined, raw: undefined }]);
    await consumers[0]!.acknowledge([id]);
    expect(await consumers[0]!.readOwn(10, '0')).toEqual([]);
  });

  it('stops waiting for entries when it is interrupted, and does not wait again', async () => {
    const [consumer] = consumers;
    // Sent first, but on another connection, so the server may get the interruption before the read.
    const read = consumer!.readNew(10, FOREVER_MS);
    await consumer!.interrupt();
    expect(await read).toEqual([]);
    expect(await consumer!.readNew(10, FOREVER_MS)).toEqual([]);
    const id = await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, 'x');
    expect(await consumer!.readNew(10, FOREVER_MS)).toMatchObject([{ id }]);
  });

  it('stops waiting when it is interrupted before it knows the ID of its connection', async () => {
    const late = new EventConsumer(redis, 'late');
    consumers.push(late);
    await once(late['reads'], 'ready');
    const read = late.readNew(10, FOREVER_MS);
    await late.interrupt();
    expect(await read).toEqual([]);
  });

  it('leaves the group only without pending entries', async () => {
    await redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, 'x');
    const [entry] = await consumers[0]!.readNew(1, 100);
    await consumers[1]!.readNew(1, 1);
    await Promise.all([consumers[0]!.leave(), consumers[1]!.leave()]);
    const members = (await redis.xinfo('CONSUMERS', EVENT_STREAM, FLUSHER_GROUP)) as unknown[][];
    expect(members.map((fields) => fields[1])).toEqual(['one']);
    await consumers[0]!.acknowledge([entry!.id]);
    await consumers[0]!.leave();
    expect(await redis.xinfo('CONSUMERS', EVENT_STREAM, FLUSHER_GROUP)).toEqual([]);
  });

  it('fails fast when Redis hangs or is down, and does not read entries later', async () => {
    redis.disconnect();
    await expect(consumers[0]!.readOwn(1, '0')).rejects.toThrow();
    consumers[0]!.close();
    await expect(consumers[0]!.readNew(1, 100)).rejects.toThrow();
  });
});
