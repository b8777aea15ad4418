import type { StoreWriter } from '../../../src/events/store/store-writer.js';
import { storeHasAll } from '../../../src/events/store/store-has-all.js';
import { STORE_GROUP } from '../../../src/events/stream/stream-keys.js';
import { TrailingGroup } from '../../../src/events/stream/trailing-group.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { opened, sendMail } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';
import { StubStore } from './stub-store.js';
import { isFlushed, isStreamEmpty, startWriter } from './writers.js';

let pipeline: EventPipeline;
let stub: StubStore;
let email: string;
const writers: StoreWriter[] = [];

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  email = (await sendMail(pipeline.database, [1])).emails[0]!.trackingId;
  stub = await StubStore.start();
});

afterEach(async () => {
  await Promise.all(writers.splice(0).map((writer) => writer.stop()));
  await stub.stop();
  await pipeline.close();
});

async function append(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => pipeline.append(opened(email))));
}

const hasStored = (count: number) => eventually(() => stub.rows.size === count);

describe('a long stream', () => {
  it('is left to Postgres while the store responds, but is too slow for it', async () => {
    stub.delayMs = 1_000;
    writers.push(startWriter(pipeline, stub.url, { streamBytes: 1, lagMs: 0 }));
    await eventually(() => new TrailingGroup(pipeline.redis).exists());
    pipeline.startFlusher();
    await append(4_000);
    await isFlushed(pipeline, 4_000);
    await isStreamEmpty(pipeline);
    expect(stub.rows.size).toBeLessThan(4_000);
    stub.delayMs = 0;
    await hasStored(4_000);
    await eventually(() => storeHasAll(pipeline.database));
  });

  it('is written by the store itself while that is about as fast as the flushers', async () => {
    await pipeline.consumer(undefined, STORE_GROUP).join();
    pipeline.startFlusher();
    await append(1_200);
    await isFlushed(pipeline, 1_200);
    writers.push(startWriter(pipeline, stub.url, { streamBytes: 1 }));
    await hasStored(1_200);
    await isStreamEmpty(pipeline);
    expect(new Set([...stub.rows.values()].map(({ revision }) => revision))).toEqual(new Set([0]));
  });
});
