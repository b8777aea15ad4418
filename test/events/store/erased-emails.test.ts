import { applyChanges } from '../../../src/events/store/apply-changes.js';
import { EventStore } from '../../../src/events/store/event-store.js';
import { FORGET_EMAILS } from '../../../src/events/store/forget-emails.js';
import { recordMissing } from '../../../src/events/store/store-gaps.js';
import { storeHasAll } from '../../../src/events/store/store-has-all.js';
import { recordCaughtUp } from '../../../src/events/store/store-progress.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { clicked, opened, readCounters, sendMail, summed, type SentMail } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';
import { StubStore } from './stub-store.js';
import { startWriter } from './writers.js';

let pipeline: EventPipeline;
let stub: StubStore;
let erased: SentMail['emails'][number];
let kept: SentMail['emails'][number];

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  [erased, kept] = (await sendMail(pipeline.database, [1, 1])).emails as [typeof erased, typeof kept];
  stub = await StubStore.start();
});
afterEach(async () => {
  await stub.stop();
  await pipeline.close();
});

it('a copy of what Postgres has leaves out the hits of erased emails, also those that were counted together', async () => {
  pipeline.startFlusher();
  for (const { trackingId } of [erased, kept])
    await pipeline.append(opened(trackingId), clicked(trackingId, 3), summed(trackingId, 5, [2]));
  await eventually(async () => (await readCounters(pipeline.database)).emailClicks === 6);
  await pipeline.database.query(`update emails set contact_ids = '{}' where id = $1`, [erased.id]);
  await recordMissing(pipeline.database);
  const writer = startWriter(pipeline, stub.url);
  await eventually(() => storeHasAll(pipeline.database));
  await writer.stop();
  expect([stub.of(kept.trackingId).length, stub.of(erased.trackingId)]).toEqual([3, []]);
});

it('the hits of an erased email are deleted only once no copy can bring them back that began before', async () => {
  await recordMissing(pipeline.database);
  await pipeline.database.query(FORGET_EMAILS, [[erased.id]]);
  const store = new EventStore(stub.url);
  try {
    expect(await applyChanges(pipeline.database, store)).toBe(0);
    await pipeline.database.query(`update event_store_changes set changed_at = changed_at - interval '1 minute'`);
    expect(await applyChanges(pipeline.database, store)).toBe(1);
  } finally {
    await store.close();
  }
});

it('a store that lacks an erasure of long ago is not complete', async () => {
  const { database } = pipeline;
  await recordMissing(database);
  await recordCaughtUp(database);
  await database.query(FORGET_EMAILS, [[erased.id]]);
  await database.query(`update event_store_changes set changed_at = changed_at - interval '11 minutes'`);
  await database.query(`update event_store set caught_up_at = now() - interval '2 hours'`);
  await recordCaughtUp(database);
  expect(await storeHasAll(database)).toBe(false);
  await database.query('delete from event_store_changes');
  await recordCaughtUp(database);
  expect(await storeHasAll(database)).toBe(true);
});
