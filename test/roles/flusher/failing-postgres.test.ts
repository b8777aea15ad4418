import type { Database, Sql } from '../../../src/platform/database/database.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { EVENT_STREAM, FLUSHER_GROUP } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import { interruptOnce } from '../../support/interrupted-once.js';
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
const drained = () => eventually(() => pipeline.isDrained());

describe('the flusher, while Postgres fails,', () => {
  it('keeps trying, without using up the deliveries of entries', async () => {
    const unreachable = new UnreachableDatabase(pipeline.database);
    const flusher = pipeline.startFlusher(pipeline.consumer(), unreachable as unknown as Database);
    await pipeline.append(...engagement(2));
    await eventually(() => unreachable.refusals >= 4);
    const [, , , deliveries] = (
      (await pipeline.redis.xpending(EVENT_STREAM, FLUSHER_GROUP, '-', '+', 1)) as number[][]
    )[0]!;
    expect(deliveries).toBe(1);
    // No round ends before Postgres is back.
    const progress = flusher.lastProgressAt;
    await eventually(() => flusher.lastProgressAt > progress);
    unreachable.back = true;
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(2, 2));
  });

  it('stores a batch in smaller ones if its statements are too slow for Postgres together', async () => {
    // A real time limit would also depend on how busy the machine is.
    await pipeline.database.query(`create function limit_rows() returns trigger language plpgsql as
      $$ begin
           if (select count(*) from added) > 20 then raise 'too slow' using errcode = 'query_canceled'; end if;
           return null;
         end $$;
      create trigger limit_rows after insert on events referencing new table as added
        for each statement execute function limit_rows()`);
    await pipeline.append(...engagement(100));
    pipeline.startFlusher();
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(100, 100));
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

  it('stops trying, and leaves the entries to others', async () => {
    const unreachable = new UnreachableDatabase(pipeline.database);
    const flusher = pipeline.startFlusher(pipeline.consumer('stopping'), unreachable as unknown as Database);
    await pipeline.append(...engagement(1));
    await eventually(() => unreachable.refusals > 0);
    let ended = false;
    void flusher['running']!.then(() => (ended = true));
    await flusher.stop();
    expect(ended).toBe(true);
    expect(await pipeline.redis.xlen(EVENT_STREAM)).toBe(1);
    pipeline.startFlusher(pipeline.consumer('stopping'));
    await drained();
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(1, 1));
  });
});

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
