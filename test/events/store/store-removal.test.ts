import { StoreRemoval, type RemovalTimes } from '../../../src/events/store/store-removal.js';
import type { StoreWriter } from '../../../src/events/store/store-writer.js';
import { storeHasAll } from '../../../src/events/store/store-has-all.js';
import { TrailingGroup } from '../../../src/events/stream/trailing-group.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { opened, readCounters, sendMail } from '../../roles/flusher/sent-mail.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { StubStore } from './stub-store.js';
import { startWriter } from './writers.js';

const REMOVED = 'EVENT_STORE_URL is no longer set';

let pipeline: EventPipeline;
let stub: StubStore;
let group: TrailingGroup;
let log: CapturedLog;
let stopping: AbortController;
let running: Promise<void>;
let writer: StoreWriter | undefined;

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  stub = await StubStore.start();
  group = new TrailingGroup(pipeline.redis);
  log = new CapturedLog('warn', ['flusher']);
  stopping = new AbortController();
  running = Promise.resolve();
});

afterEach(async () => {
  stopping.abort();
  await running;
  await writer?.stop();
  await stub.stop();
  await pipeline.close();
});

/** Starts what a flusher without the store does. */
function remove(times: RemovalTimes): void {
  running = new StoreRemoval(group, pipeline.database, log.logger, times).run(stopping.signal);
}

it('an event store is switched off although the flushers that still have it end after the others have started', async () => {
  const { emails } = await sendMail(pipeline.database, [1]);
  writer = startWriter(pipeline, stub.url);
  await eventually(() => group.exists());
  remove({ checkMs: 50, idleMs: 10_000 });
  await eventually(async () => log.text.includes(REMOVED) && (await group.exists()));
  await writer.stop();
  await eventually(async () => !(await group.exists()));
  expect(await storeHasAll(pipeline.database)).toBe(true);
  pipeline.startFlusher();
  await pipeline.append(opened(emails[0]!.trackingId));
  await eventually(() => pipeline.isDrained());
  expect((await readCounters(pipeline.database))['events']).toBe(1);
});

it('the group of the event store has readers while a writer runs, and none once it has ended', async () => {
  writer = startWriter(pipeline, stub.url);
  await eventually(() => group.hasReaders(60_000));
  await writer.stop();
  expect([await group.exists(), await group.hasReaders(60_000)]).toEqual([true, false]);
});
