import { STORE_GROUP } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import { waitSeconds, hold, kill, release, start } from '../actions.js';
import type { Rates } from '../traffic.js';
import type { ScenarioContext } from '../scenario.js';
import { readGroup } from '../stream-groups.js';
import { isComplete, withEventStore } from './with-event-store.js';

const SETTLED_WITHIN_MS = 120_000;
/** Other writers claim the entries of a killed one after two minutes. */
const CLAIMED_WITHIN_MS = 300_000;
/** Shorter than the timeout of a writer whose store hangs. */
const FLUSHED_WHILE_HUNG_MS = 15_000;
/** Many hits and few sends: these scenarios are about events. */
const RATES: Rates = { sendsPerSecond: 3, hitsPerSecond: 40 };
const LOAD_SECONDS = 4;
const SECONDS_AWAY = 6;
const KILLS = 6;

export const storeLate = withEventStore(
  { id: 'F56', fault: 'an event store that is down from the start and comes up under load', withinMs: 60_000 },
  async (context, store) => {
    const load = context.startTraffic(RATES);
    await waitSeconds(LOAD_SECONDS);
    await isFlushed(context);
    await store.comeUp();
    await waitSeconds(LOAD_SECONDS);
    await load.stop();
    await isComplete(context, store);
  },
);

export const storeKilled = withEventStore(
  {
    id: 'F57',
    fault: `the event store is killed -9 under load and back after ${SECONDS_AWAY} s, twice`,
    withinMs: 60_000,
  },
  async (context, store) => {
    await store.comeUp();
    const load = context.startTraffic(RATES);
    for (let times = 0; times < 2; times++) {
      await waitSeconds(LOAD_SECONDS);
      await store.goDown();
      await waitSeconds(SECONDS_AWAY);
      await isFlushed(context);
      await store.comeUp();
    }
    await load.stop();
    await isComplete(context, store);
  },
);

/**
 * A writer whose Redis is blocked waits between its insert and its acknowledgement: the writer that takes over inserts
 * the same events again. Then writers are killed at any moment.
 */
export const writersKilled = withEventStore(
  {
    id: 'F58',
    fault: 'writers of the event store killed -9 between insert and XACK, then at any moment',
    withinMs: 150_000,
  },
  async (context, store) => {
    const { testbed, clients, deliveredEmails, startTraffic, expect, note } = context;
    await store.comeUp();
    await isComplete(context, store);
    const before = await store.events();
    store.proxy.hold();
    for (const { pixelPath } of deliveredEmails) await clients.hit(pixelPath);
    await isFlushed(context);
    await eventually(() => store.proxy.isHoldingBack, SETTLED_WITHIN_MS);
    hold(testbed.flushers, 'redis');
    store.proxy.release();
    await eventually(async () => (await store.events()) > before, SETTLED_WITHIN_MS);
    await kill(testbed.flushers);
    release(testbed.flushers, 'redis');
    const left = (await readGroup(testbed, STORE_GROUP))?.pending ?? 0;
    expect('an entry was inserted and not acknowledged', left > 0);
    await start(testbed.flushers, { ...store.settings });
    const load = startTraffic(RATES);
    for (let times = 0; times < KILLS; times++) {
      await waitSeconds(1);
      const flusher = testbed.flushers[times % testbed.flushers.length]!;
      await flusher.kill();
      await flusher.start(store.settings);
    }
    await load.stop();
    const waiting = (await readGroup(testbed, STORE_GROUP))?.pending ?? 0;
    note(`${KILLS + testbed.flushers.length} writers killed, with ${left} and at most ${waiting} entries`);
  },
  CLAIMED_WITHIN_MS,
);

/** The store accepts connections and requests, but does not respond. */
export const storeHung = withEventStore(
  { id: 'F59', fault: 'an event store that hangs under load', withinMs: 60_000 },
  async (context, store) => {
    await store.comeUp();
    await isComplete(context, store);
    store.proxy.hold();
    const load = context.startTraffic(RATES);
    await eventually(() => store.proxy.isHoldingBack, SETTLED_WITHIN_MS);
    await waitSeconds(LOAD_SECONDS);
    await load.stop();
    const startedAt = performance.now();
    await isFlushed(context, FLUSHED_WHILE_HUNG_MS);
    const milliseconds = Math.round(performance.now() - startedAt);
    context.expect('the store hung until all events were flushed', store.proxy.isHoldingBack);
    context.note(`all events flushed ${milliseconds} ms after the last hit, while the store hung`);
    store.proxy.release();
  },
);

/** A flush that waits for the store is a violation. */
async function isFlushed({ testbed, clients, expect }: ScenarioContext, withinMs = SETTLED_WITHIN_MS): Promise<void> {
  const known = [...clients.history.acknowledgedEvents];
  const flushed = await eventually(async () => {
    const rows = await testbed.database.query('select from events where ordinal = 1 and id = any($1::uuid[])', [known]);
    return rows.length === known.length;
  }, withinMs).catch(() => false);
  expect(`the flush continues without the store (${known.length} events)`, flushed);
}
