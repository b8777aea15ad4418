import { Pool } from 'pg';
import { Database, type Sql } from '../../../src/platform/database/database.js';
import { listDeadLetters } from '../../../src/events/dead-letters.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { EventConsumer } from '../../../src/events/stream/event-consumer.js';
import { ENTRY_FIELD, EVENT_STREAM, FLUSHER_GROUP } from '../../../src/events/stream/stream-keys.js';
import { eventually, withinASecond } from '../../support/eventually.js';
import { interruptOnce } from '../../support/interrupted-once.js';
import { EventPipeline } from './event-pipeline.js';
import { clicked, countersAfter, opened, readCounters, sendMail, type SentMail } from './sent-mail.js';

let pipeline: EventPipeline;
let mail: SentMail;

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  mail = await sendMail(pipeline.database, [1, 1, 1]);
});

afterEach(async () => {
  await pipeline.close();
});

/** As many opens as clicks. */
function engagement(pairs: number): EngagementEvent[] {
  return Array.from({ length: pairs }, (_, index) => {
    const { trackingId } = mail.emails[index % mail.emails.length]!;
    return [opened(trackingId), clicked(trackingId, index % 3, `https://shop.example/${index % 3}`)];
  }).flat();
}

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

  it('keeps trying while Postgres is down, without using up the deliveries of entries', async () => {
    const unreachable = new UnreachableDatabase(pipeline.database);
    const flusher = pipeline.startFlusher(pipeline.consumer(), unreachable as unknown as Database);
    await pipeline.append(...engagement(2));
    await eventually(() => unreachable.refusals >= 4);
    const [, , , deliveries] = (
      (await pipeline.redis.xpending(EVENT_STREAM, FLUSHER_GROUP, '-', '+', 1)) as number[][]
    )[0]!;
    expect(deliveries).toBe(1);
    expect(Date.now() - flusher.lastProgressAt).toBeLessThan(5_000);
    unreachable.back = true;
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(2, 2));
  });

  it('stores a batch in smaller ones if its statements are too slow for Postgres together', async () => {
    await pipeline.database.query(`create function slow_row() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.005); return new; end $$;
      create trigger slow_row before insert on events for each row execute function slow_row()`);
    const pool = new Pool({ connectionString: pipeline.databaseUrl, options: '-c statement_timeout=400' });
    pool.on('error', () => undefined);
    await pipeline.append(...engagement(100));
    pipeline.startFlusher(pipeline.consumer(), new Database(pool));
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(100, 100));
    await pipeline.stopFlushers();
    await pool.end();
  });

  it('announces what a transaction stored, even if the next one fails and all is repeated', async () => {
    const { trackingId } = mail.emails[0]!;
    await interruptOnce(pipeline.database, 'insert on email_link_clicks', '40P01');
    const live: string[] = [];
    pipeline.startFlusher().onCommit((result) => live.push(...result.live.map(({ type }) => type)));
    // The event in the middle is invalid, so each of them gets a transaction of its own.
    await pipeline.append(opened(trackingId), clicked(trackingId, 0, 'https://shop.example/\0'), clicked(trackingId));
    await drained();
    expect(await readCounters(pipeline.database)).toEqual({ ...countersAfter(1, 1), deadLetters: 1 });
    expect(live).toEqual(['email.opened', 'email.clicked']);
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

  it('stops within seconds, even while Postgres is down, and leaves the entries to others', async () => {
    const flusher = pipeline.startFlusher(
      pipeline.consumer('stopping'),
      new UnreachableDatabase(pipeline.database) as unknown as Database,
    );
    await pipeline.append(...engagement(1));
    await eventually(async () => (await pipeline.redis.xlen(EVENT_STREAM)) === 1);
    const begun = performance.now();
    await flusher.stop();
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(await pipeline.redis.xlen(EVENT_STREAM)).toBe(1);
    pipeline.startFlusher(pipeline.consumer('stopping'));
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(1, 1));
  });
});

/** Loses every acknowledgement, as a process does that dies just before it. */
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

class DyingConsumer extends EventConsumer {
  deaths = 0;
  immortal = false;

  override async acknowledge(ids: readonly string[]): Promise<void> {
    if (this.immortal) return super.acknowledge(ids);
    this.deaths++;
    throw new Error('died before the acknowledgement');
  }
}

/** A database that can become unreachable. */
class UnreachableDatabase {
  refusals = 0;
  back = false;

  constructor(private readonly database: Database) {}

  async query(sql: string, values?: readonly unknown[]) {
    return this.database.query(sql, values);
  }

  async transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    if (this.back) return this.database.transaction(work);
    this.refusals++;
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  }
}
