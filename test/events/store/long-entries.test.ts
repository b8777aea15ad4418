import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { opened, sendMail } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';
import { StubStore } from './stub-store.js';
import { startWriter } from './writers.js';

/** As many as an edge packs into one entry while Redis is slow. */
const EVENTS = 512;
const ENTRIES = 60;

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

it('a long stream of long entries is written in parts, so that a flusher with little memory survives it', async () => {
  const { trackingId } = (await sendMail(pipeline.database, [1])).emails[0]!;
  for (let entry = 0; entry < ENTRIES; entry++) {
    const records = Array.from({ length: EVENTS }, () => encodeEvent(opened(trackingId)));
    await pipeline.redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, packEntry(records));
  }
  const writer = startWriter(pipeline, stub.url);
  try {
    await eventually(() => stub.rows.size === ENTRIES * EVENTS);
    expect(stub.largestInsert).toBeLessThan(12_000);
  } finally {
    await writer.stop();
  }
});
