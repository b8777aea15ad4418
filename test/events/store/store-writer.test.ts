import { FORGET_EMAILS } from '../../../src/events/store/forget-emails.js';
import { gapHours, recordMissing } from '../../../src/events/store/store-gaps.js';
import { storeHasAll } from '../../../src/events/store/store-has-all.js';
import type { StoreWriter } from '../../../src/events/store/store-writer.js';
import type { WriterLimits } from '../../../src/events/store/writer-limits.js';
import { TrailingGroup } from '../../../src/events/stream/trailing-group.js';
import { recordVerdicts } from '../../../src/events/store/record-verdicts.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { clicked, opened, sendMail, summed, type SentMail } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';
import { StubStore } from './stub-store.js';
import { isFlushed, isStreamEmpty, startWriter } from './writers.js';

let pipeline: EventPipeline;
let mail: SentMail;
let stub: StubStore;
let email: string;
const writers: StoreWriter[] = [];

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  mail = await sendMail(pipeline.database, [1, 2]);
  email = mail.emails[0]!.trackingId;
  stub = await StubStore.start();
});

afterEach(async () => {
  await Promise.all(writers.splice(0).map((writer) => writer.stop()));
  await stub.stop();
  await pipeline.close();
});

function write(limits: Partial<WriterLimits> = {}): void {
  writers.push(startWriter(pipeline, stub.url, limits));
}

async function append(count: number): Promise<EngagementEvent[]> {
  const events = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? opened(email) : clicked(email, 3)));
  for (const event of events) await pipeline.append(event);
  return events;
}

const hasStored = (count: number) => eventually(() => stub.rows.size === count);
const hasGroup = () => eventually(() => new TrailingGroup(pipeline.redis).exists());

describe('the writer of the event store', () => {
  it('writes every event of the stream, without its URL', async () => {
    write();
    pipeline.startFlusher();
    const sum = summed(email, 5, [2, 1]);
    await pipeline.append(opened(email), clicked(email, 3), sum);
    await hasStored(3);
    expect(stub.of(email).map(({ type, link_position: position }) => [type, position])).toEqual([
      ['opened', -1],
      ['clicked', 3],
      ['summed', -1],
    ]);
    expect(stub.rows.get(sum.id)).toMatchObject({ opens: 5, clicks: 3, machine_opens: 0 });
    expect(JSON.stringify([...stub.rows.values()])).not.toContain('shop.example');
    await isStreamEmpty(pipeline);
  });

  it('drops events of unknown emails, and entries that cannot be decoded', async () => {
    write();
    await pipeline.append(opened('unknown'));
    await pipeline.append({ ...opened(email), emailTrackingId: 'nul\0' });
    await pipeline.appendRaw('e', 'garbage');
    await pipeline.append(opened(email));
    await hasStored(1);
  });

  it('keeps events in the stream until the store has them, while the flush continues', async () => {
    stub.mode = 'refuses';
    write();
    await hasGroup();
    pipeline.startFlusher();
    await append(20);
    await isFlushed(pipeline, 20);
    await eventually(() => stub.unserved > 2);
    expect(await pipeline.redis.xlen(EVENT_STREAM)).toBe(20);
    stub.mode = 'responds';
    await hasStored(20);
    await isStreamEmpty(pipeline);
  });

  it('does not delay the flush while the store hangs', async () => {
    stub.mode = 'hangs';
    write();
    await hasGroup();
    pipeline.startFlusher();
    await append(10);
    await eventually(() => stub.unserved > 0);
    await isFlushed(pipeline, 10);
    stub.mode = 'responds';
    stub.disconnect();
    await hasStored(10);
  });

  it('skips events that Postgres has when the stream grows too long, and copies them when the store is up again', async () => {
    stub.mode = 'refuses';
    write({ streamBytes: 1 });
    await hasGroup();
    pipeline.startFlusher();
    const events = await append(30);
    await isFlushed(pipeline, 30);
    await isStreamEmpty(pipeline);
    expect(await storeHasAll(pipeline.database)).toBe(false);
    stub.mode = 'responds';
    await hasStored(30);
    expect([...stub.rows.keys()].sort()).toEqual(events.map(({ id }) => id).sort());
    await eventually(() => storeHasAll(pipeline.database));
  });

  it('copies events that Postgres had before there was a store', async () => {
    pipeline.startFlusher();
    await append(10);
    await pipeline.append(summed(email, 4, [1]), opened(email, Date.now() - 3 * 86_400_000));
    await isFlushed(pipeline, 11);
    await isStreamEmpty(pipeline);
    write();
    await hasStored(12);
    await eventually(() => storeHasAll(pipeline.database));
  });

  it('copies events of clocks that are wrong by centuries without the hours in between', async () => {
    pipeline.startFlusher();
    const times = [Date.UTC(1970, 0, 1), Date.UTC(2025, 5, 1), Date.UTC(9300, 0, 1), Date.UTC(10_500, 0, 1)];
    await pipeline.append(...times.map((time) => opened(email, time)), opened(email));
    await isFlushed(pipeline, 5);
    await isStreamEmpty(pipeline);
    await recordMissing(pipeline.database);
    expect(await gapHours(pipeline.database)).toBeLessThan((times.length + 1) * 24 + 3);
    write();
    // One hour at a time, each with round trips to Postgres.
    await eventually(() => storeHasAll(pipeline.database));
    await hasStored(5);
  });

  it('copies the events of the last day again after Redis has lost the stream', async () => {
    write();
    pipeline.startFlusher();
    await append(2);
    await hasStored(2);
    stub.mode = 'refuses';
    await append(4);
    await isFlushed(pipeline, 6);
    await pipeline.redis.del(EVENT_STREAM);
    stub.mode = 'responds';
    await hasStored(6);
  });

  it('overwrites the verdicts in the stream with changed ones, in any order', async () => {
    write();
    await hasGroup();
    const [event] = [opened(email)];
    const change = { id: event.id, email, type: 'opened', linkPosition: null };
    await pipeline.database.transaction((sql) => recordVerdicts(sql, [{ ...change, verdict: 4 }]));
    await eventually(() => stub.rows.get(event.id)?.verdict === 4);
    await pipeline.append(event);
    await pipeline.database.transaction((sql) => recordVerdicts(sql, [{ ...change, verdict: 2 }]));
    await eventually(() => stub.rows.get(event.id)?.verdict === 2);
  });

  it('deletes the events of deleted emails, and accepts no new ones', async () => {
    write();
    await append(6);
    await hasStored(6);
    const other = mail.emails[1]!;
    await pipeline.append(opened(other.trackingId));
    await hasStored(7);
    await pipeline.database.transaction(async (sql) => {
      await sql.query(FORGET_EMAILS, [[mail.emails[0]!.id]]);
      await sql.query(`update emails set contact_ids = '{}' where id = $1`, [mail.emails[0]!.id]);
    });
    await append(3);
    await hasStored(1);
    await isEmptyOfGroup();
    expect(stub.of(email)).toEqual([]);
  });

  it('divides the stream among several writers', async () => {
    for (let count = 0; count < 3; count++) write();
    await append(60);
    await hasStored(60);
  });
});

/** Resolves once no entry is left for the writers. */
async function isEmptyOfGroup(): Promise<void> {
  const consumer = pipeline.consumer(undefined, 'event-store');
  await eventually(async () => (await consumer.backlog()).oldestMs === 0 && (await consumer.backlog()).entries === 0);
}
