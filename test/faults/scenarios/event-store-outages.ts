import { EVENT_STREAM, FLUSHER_GROUP, STORE_GROUP } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import { waitSeconds, hold, kill, release, start } from '../actions.js';
import type { Rates } from '../traffic.js';
import { AttachedEventStore } from '../testbed/attached-event-store.js';
import type { Testbed } from '../testbed/testbed.js';
import type { Scenario, ScenarioContext } from '../scenario.js';
import { readGroup, type StreamGroup } from '../stream-groups.js';
import { EVENTS_PER_SECOND, flood } from './event-flood.js';

const SETTLED_WITHIN_MS = 120_000;
const COMPLETE_WITHIN_MS = 60_000;
/** Other writers claim the entries of a killed one after two minutes. */
const CLAIMED_WITHIN_MS = 300_000;
/** Shorter than the timeout of a writer whose store hangs. */
const FLUSHED_WHILE_HUNG_MS = 15_000;
/** Many hits and few sends: these scenarios are about events. */
const RATES: Rates = { sendsPerSecond: 3, hitsPerSecond: 40 };
const FLOOD_STORED_WITHIN_MS = 600_000;
const LOAD_SECONDS = 4;
const SECONDS_AWAY = 6;
const KILLS = 6;

type FaultScript = (context: ScenarioContext, store: AttachedEventStore) => Promise<void>;

/** Several testbeds may run the same scenario at once. */
const stores = new WeakMap<Testbed, AttachedEventStore>();

/** The flushers write to an event store while `script` runs and until L8 has been checked. */
function withEventStore(
  about: Pick<Scenario, 'id' | 'fault' | 'withinMs' | 'subscribedEvents'>,
  script: FaultScript,
  completeWithinMs = COMPLETE_WITHIN_MS,
): Scenario {
  return {
    ...about,
    missingRequirement: () => AttachedEventStore.missingRequirement(),
    async inject(context) {
      const store = await AttachedEventStore.attachTo(context.testbed);
      stores.set(context.testbed, store);
      await script(context, store);
    },
    async verify({ testbed, reportViolation, note }) {
      const store = stores.get(testbed);
      if (!store) return;
      try {
        for (const what of await store.findViolations(completeWithinMs)) reportViolation(what);
        note(`${await store.events()} events in the store`);
      } finally {
        await store.detach();
      }
    },
  };
}

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

/** The outage exceeds what the stream keeps, so the flushers skip entries and copy their hours from Postgres. */
export function storeAwayInFlood(seconds: number, id: string): Scenario {
  const fault = `the event store is down for ${seconds} s of ${EVENTS_PER_SECOND} opens a second, more than the stream keeps`;
  // So many opens would exceed the limit of pending webhooks, and the rest would be skipped.
  return withEventStore({ id, fault, withinMs: 600_000, subscribedEvents: ['EMAIL_SENT'] }, async (context, store) => {
    const { testbed, clients, expect, note } = context;
    await store.comeUp();
    await isComplete(context, store);
    await store.goDown();
    const appended = await flood(testbed, clients, seconds);
    await eventually(async () => isAllRead(await readGroup(testbed, FLUSHER_GROUP)), FLOOD_STORED_WITHIN_MS);
    const hours = await eventually(async () => (await hoursToCopy(testbed)) || undefined, SETTLED_WITHIN_MS);
    const kept = await testbed.withRedis((redis) => redis.xlen(EVENT_STREAM));
    expect('the stream keeps less than was appended', kept < appended);
    note(`${appended} entries appended, ${kept} kept, events of ${hours} hours to copy from Postgres`);
    await store.comeUp();
    await isComplete(context, store, FLOOD_STORED_WITHIN_MS);
  });
}

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

/** Resolves when the store has every event of Postgres, or when time is up, which `verify` reports. */
async function isComplete(
  { note }: ScenarioContext,
  store: AttachedEventStore,
  withinMs = COMPLETE_WITHIN_MS,
): Promise<void> {
  const startedAt = performance.now();
  const violations = await store.findViolations(withinMs);
  if (violations.length > 0) return;
  note(`${await store.events()} events, complete within ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

function isAllRead(group: StreamGroup | undefined): boolean {
  return group !== undefined && group.pending + group.unread === 0;
}

async function hoursToCopy({ database }: Testbed): Promise<number> {
  const [row] = await database.query<{ hours: number }>('select count(*)::int as hours from event_store_gaps');
  return row!.hours;
}
