import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM, STORE_GROUP } from '../../../src/events/stream/stream-keys.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { opened, readCounters, sendMail } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';
import { StubStore } from './stub-store.js';
import { startWriter } from './writers.js';

/** As many as an edge packs into one entry while Redis is slow. */
const EVENTS = 512;
const ENTRIES = 60;
const ALL = ENTRIES * EVENTS;

let pipeline: EventPipeline;
let stub: StubStore;

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  stub = await StubStore.start();
});

afterEach(async () => {
  await stub.stop();
  await pipeline.close();
});

beforeEach(async () => {
  const { trackingId } = (await sendMail(pipeline.database, [1])).emails[0]!;
  for (let entry = 0; entry < ENTRIES; entry++) {
    const records = Array.from({ length: EVENTS }, () => encodeEvent(opened(trackingId)));
    await pipeline.redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, packEntry(records));
  }
});

describe('a long stream of long entries', () => {
  it('is written in parts, so that a flusher with little memory survives it', async () => {
    const writer = startWriter(pipeline, stub.url);
    try {
      await eventually(() => stub.rows.size === ALL);
      expect(stub.largestInsert).toBeLessThan(12_000);
    } finally {
      await writer.stop();
    }
  });

  it('is left to Postgres after a part if the store is slow', async () => {
    await pipeline.consumer(undefined, STORE_GROUP).join();
    pipeline.startFlusher();
    await eventually(async () => (await readCounters(pipeline.database))['events'] === ALL);
    stub.delayMs = 500;
    const writer = startWriter(pipeline, stub.url, { streamBytes: 1, lagMs: 0 });
    try {
      await eventually(async () => (await pipeline.redis.xlen(EVENT_STREAM)) === 0);
      expect([...stub.rows.values()].filter(({ revision }) => revision === 0).length).toBeLessThan(ALL / 2);
      await eventually(() => stub.rows.size === ALL);
    } finally {
      await writer.stop();
    }
  });
});
