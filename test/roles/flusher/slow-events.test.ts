import { listDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { eventually } from '../../support/eventually.js';
import { mailToReportOn, reportOf, RECIPIENTS, type ReportedMail } from '../../emails/recipients/reported-mail.js';
import { EventPipeline } from './event-pipeline.js';
import { opened } from './sent-mail.js';

const RETRY_MS = 31_000;
const [ann] = RECIPIENTS;

let pipeline: EventPipeline;
let mail: ReportedMail;
let ahead = 0;
const clock = { now: () => Date.now() + ahead };

beforeEach(async () => {
  ahead = 0;
  pipeline = await EventPipeline.open();
  mail = await mailToReportOn(pipeline.database, 2);
});

afterEach(async () => {
  await pipeline.stopFlushers();
  await pipeline.close();
});

/**
 * Lets Postgres refuse each report for which the condition on the row `new` holds, as if it had exceeded the time limit
 * of a statement. With a real limit, a busy machine would exceed it for other events.
 */
async function slowDown(condition: string): Promise<void> {
  await pipeline.database.query(`create function slow_row() returns trigger language plpgsql as
    $$ begin if ${condition} then raise 'slow' using errcode = 'query_canceled'; end if; return new; end $$;
    create trigger slow_row before insert on delivery_events for each row execute function slow_row()`);
}

/** Makes all retries due, and ends the flusher's wait for entries with one that has nothing to store. */
async function passTime(): Promise<void> {
  ahead += RETRY_MS;
  await pipeline.append();
}

const reports = async (): Promise<string[]> => {
  const rows = await pipeline.database.query<{ type: string }>('select type from delivery_events order by type');
  return rows.map(({ type }) => type);
};
const opens = async (): Promise<number> => {
  const [row] = await pipeline.database.query<{ opens: number }>('select sum(opens)::int as opens from emails');
  return row!.opens;
};
const reasons = async () => (await listDeadLetters(pipeline.database, 10)).map(({ reason }) => reason);

describe('an event that exceeds the time limit of Postgres even alone', () => {
  it('holds up no other event, and becomes a dead letter after several attempts', async () => {
    await slowDown(`new.reason = 'slow'`);
    const { id, trackingId } = mail.emails[0]!;
    pipeline.startFlusher(pipeline.consumer(), pipeline.database, clock);
    await pipeline.append(
      reportOf(id, ann, 'deferred'),
      reportOf(id, ann, 'complained', { reason: 'slow' }),
      reportOf(id, ann, 'delivered'),
    );
    await pipeline.append(opened(trackingId));
    await eventually(async () => (await opens()) === 1);
    await eventually(async () => (await reports()).join() === 'deferred,delivered');
    expect(await reasons()).toEqual([]);
    expect(await pipeline.isDrained()).toBe(false);
    let appended = 1;
    await eventually(async () => {
      ahead += RETRY_MS;
      await pipeline.append(opened(trackingId));
      appended++;
      return (await reasons()).length > 0;
    });
    expect(await reasons()).toEqual(['timed-out']);
    await eventually(() => pipeline.isDrained());
    expect(await opens()).toBe(appended);
    expect(await reports()).toEqual(['deferred', 'delivered']);
  });

  it('is stored once that is possible', async () => {
    await slowDown(`new.reason = 'slow'`);
    const { id, trackingId } = mail.emails[0]!;
    pipeline.startFlusher(pipeline.consumer(), pipeline.database, clock);
    await pipeline.append(reportOf(id, ann, 'complained', { reason: 'slow' }), opened(trackingId));
    await pipeline.append(opened(trackingId));
    await eventually(async () => (await opens()) === 2);
    await pipeline.database.query('drop trigger slow_row on delivery_events');
    await eventually(async () => {
      await passTime();
      return (await reports()).length > 0;
    });
    expect(await reports()).toEqual(['complained']);
    await eventually(() => pipeline.isDrained());
    expect(await reasons()).toEqual([]);
  });
});

it('no event becomes a dead letter while Postgres is too slow for all', async () => {
  await slowDown('true');
  let timeouts = 0;
  const { database } = pipeline;
  const transaction = database.transaction.bind(database);
  database.transaction = (work) =>
    transaction(work).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === '57014') timeouts++;
      throw error;
    });
  pipeline.startFlusher(pipeline.consumer(), database, clock);
  await pipeline.append(reportOf(mail.emails[0]!.id, ann, 'delivered'));
  await eventually(async () => {
    await passTime();
    return timeouts > 6;
  });
  expect(await reasons()).toEqual([]);
  await pipeline.database.query('drop trigger slow_row on delivery_events');
  await eventually(async () => {
    await passTime();
    return (await reports()).length > 0;
  });
  await eventually(() => pipeline.isDrained());
  expect(await reports()).toEqual(['delivered']);
  expect(await reasons()).toEqual([]);
});
