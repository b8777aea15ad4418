import { listDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { EventConsumer } from '../../../src/events/stream/event-consumer.js';
import { ENTRY_FIELD, EVENT_STREAM, FLUSHER_GROUP } from '../../../src/events/stream/stream-keys.js';
import { Database, type Transaction } from '../../../src/platform/database/database.js';
import { eventually, withinASecond } from '../../support/eventually.js';
import { EventPipeline } from './event-pipeline.js';
import { clicked, countersAfter, engagementOf, opened, readCounters, sendMail, type SentMail } from './sent-mail.js';

let pipeline: EventPipeline;
let mail: SentMail;

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  mail = await sendMail(pipeline.database, [1, 1, 1]);
});

afterEach(async () => {
  await pipeline.close();
});

const engagement = (pairs: number): EngagementEvent[] => engagementOf(mail, pairs);

async function appendOneByOne(events: readonly EngagementEvent[]): Promise<void> {
  for (const event of events) await pipeline.append(event);
}

const drained = () => eventually(() => pipeline.isDrained());

describe('the flusher', () => {
  it('shows an event in every counter within a second', async () => {
    pipeline.startFlusher();
    await pipeline.append(...engagement(1));
    await drained();
    await pipeline.append(...engagement(1));
    await withinASecond(async () => (await readCounters(pipeline.database))['emailClicks'] === 2);
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(2, 2));
  });

  it('reads entries that were in the stream before the group existed', async () => {
    await pipeline.append(...engagement(5));
    pipeline.startFlusher();
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(5, 5));
  });

  it('T06: stays exact with three flushers and repeated appends', async () => {
    for (let count = 0; count < 3; count++) pipeline.startFlusher();
    const events = engagement(150);
    await Promise.all([appendOneByOne(events), appendOneByOne(events.toReversed()), appendOneByOne(events)]);
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(150, 150));
  });

  it('rolls one batch back, not every one, while stored events keep coming again', async () => {
    const database = new CountingDatabase(pipeline.database.pool);
    pipeline.startFlusher(pipeline.consumer(), database);
    const stored = engagement(2);
    await pipeline.append(...stored);
    await drained();
    for (const event of stored) {
      await pipeline.append(event, ...engagement(1));
      await drained();
    }
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(6, 6));
    expect(database.rolledBack).toBe(1);
  });

  it('counts only successful rounds as progress, so that a stream that refuses reads is reported as a stall', async () => {
    const consumer = new RefusedConsumer(pipeline.redis, 'refused');
    const flusher = pipeline.startFlusher(consumer);
    const begun = flusher.lastProgressAt;
    await eventually(() => consumer.refusals >= 4);
    expect(flusher.lastProgressAt).toBe(begun);
    consumer.refused = false;
    await eventually(() => flusher.lastProgressAt > begun);
    await pipeline.append(...engagement(1));
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(1, 1));
  });

  it('stores an event once when it dies between the commit and the acknowledgement', async () => {
    const dying = new DyingConsumer(pipeline.redis, 'dying');
    pipeline.startFlusher(dying);
    await pipeline.append(...engagement(10));
    await eventually(async () => (await readCounters(pipeline.database))['events'] === 20);
    await eventually(() => dying.deaths >= 3);
    expect((await pipeline.redis.xpending(EVENT_STREAM, FLUSHER_GROUP))[0]).toBe(1);
    dying.immortal = true;
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(10, 10));
  });

  it('takes over the entries of a consumer that has died, and removes dead consumers', async () => {
    const dead = pipeline.consumer('dead');
    await dead.join();
    await pipeline.append(...engagement(4));
    const [entry] = await dead.readNew(10, 100);
    await pipeline.redis.xclaim(EVENT_STREAM, FLUSHER_GROUP, 'dead', 0, entry!.id, 'IDLE', 90_000);
    pipeline.startFlusher(pipeline.consumer('alive'));
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(4, 4));
    await pipeline.consumer('alive').removeIdleConsumers(0);
    const consumers = (await pipeline.redis.xinfo('CONSUMERS', EVENT_STREAM, FLUSHER_GROUP)) as unknown[][];
    expect(consumers.map((fields) => fields[1])).not.toContain('dead');
  });

  it('does not take entries from a consumer that is still working', async () => {
    const busy = pipeline.consumer('busy');
    await busy.join();
    await pipeline.append(...engagement(1));
    expect(await busy.readNew(10, 100)).toHaveLength(1);
    pipeline.startFlusher();
    await pipeline.append(...engagement(2));
    await eventually(async () => (await readCounters(pipeline.database))['events'] === 4);
    expect(await pipeline.redis.xlen(EVENT_STREAM)).toBe(2);
    const [own] = await busy.readOwn(10, '0');
    await busy.acknowledge([own!.id]);
    expect(await pipeline.isDrained()).toBe(true);
  });

  it('continues after a flush of Redis, with everything that was appended since then', async () => {
    pipeline.startFlusher();
    await pipeline.append(...engagement(1));
    await drained();
    await pipeline.redis.flushdb();
    await pipeline.append(...engagement(3));
    await eventually(async () => (await readCounters(pipeline.database))['events'] === 8);
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(4, 4));
  });

  it('T07: makes poison entries dead letters and continues with the rest', async () => {
    pipeline.startFlusher();
    await pipeline.append(...engagement(3), clicked(mail.emails[0]!.trackingId, 0, 'https://shop.example/\0'));
    await pipeline.appendRaw('unknown field', 'content');
    await pipeline.appendRaw(ENTRY_FIELD, '');
    await pipeline.append(opened('deleted-email'), ...engagement(2));
    await drained();
    expect(await readCounters(pipeline.database)).toEqual({ ...countersAfter(5, 5), deadLetters: 4 });
    const reasons = (await listDeadLetters(pipeline.database, 10)).map(({ reason }) => reason);
    expect(reasons.sort()).toEqual(['data-error-22021', 'missing-field', 'unknown-email', 'unknown-version']);
  });

  it('stores the entries that it has read ahead before it stops', async () => {
    await appendOneByOne(engagement(200));
    const pending = async () => (await pipeline.redis.xpending(EVENT_STREAM, FLUSHER_GROUP).catch(() => [0]))[0];
    const stopping = await pipeline.database.transaction(async (sql) => {
      await sql.query('select from emails for update');
      const flusher = pipeline.startFlusher();
      await eventually(async () => (await pending()) === 400);
      return { end: flusher.stop() };
    });
    await stopping.end;
    expect(await pending()).toBe(0);
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(200, 200));
  });
});

/** A stream whose reads fail as long as the test sets. */
class RefusedConsumer extends EventConsumer {
  refusals = 0;
  refused = true;

  override async readNew(count: number, blockMs?: number) {
    if (!this.refused) return super.readNew(count, blockMs);
    this.refusals++;
    throw new Error("READONLY You can't write against a read only replica.");
  }
}

/** Loses every acknowledgement, as a process does that dies just before it. */
class DyingConsumer extends EventConsumer {
  deaths = 0;
  immortal = false;

  override async acknowledge(ids: readonly string[]): Promise<void> {
    if (this.immortal) return super.acknowledge(ids);
    this.deaths++;
    throw new Error('died before the acknowledgement');
  }
}

/** Counts the transactions that are rolled back. */
class CountingDatabase extends Database {
  rolledBack = 0;

  override transaction<Result>(work: (sql: Transaction) => Promise<Result>): Promise<Result> {
    return super.transaction(work).catch((error: unknown) => {
      this.rolledBack++;
      throw error;
    });
  }
}
