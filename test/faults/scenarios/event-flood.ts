import { setTimeout as delay } from 'node:timers/promises';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { ENTRY_FIELD, EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import type { Clients } from '../clients.js';
import { start } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';
import { usedMemoryMb } from './backlogs.js';

export const EVENTS_PER_SECOND = 5_000;
const TICK_MS = 100;
/** The number that an edge packs into one entry under such a load. */
const EVENTS_PER_ENTRY = 50;
const TIMEOUT_MS = 600_000;

/**
 * The usual number of hits go through the edges. The scenario appends the other events as an edge would, because one
 * machine cannot run enough clients.
 */
export function eventFlood(seconds: number, id: string): Scenario {
  return {
    id,
    fault: `${EVENTS_PER_SECOND} opens a second for ${seconds} s while no flusher runs`,
    withinMs: TIMEOUT_MS,
    subscribedEvents: ['EMAIL_SENT'],
    async inject({ testbed, clients, startTraffic, expect, note }) {
      await Promise.all(testbed.flushers.map((flusher) => flusher.terminate()));
      const readers = startTraffic({ sendsPerSecond: 2, hitsPerSecond: 40 });
      const entries = await flood(testbed, clients, seconds);
      await readers.stop();
      const kept = await testbed.withRedis((redis) => redis.xlen(EVENT_STREAM));
      expect('nothing was trimmed', kept >= entries);
      note(`${kept} entries in the stream, Redis holds ${await usedMemoryMb(testbed)} MB`);
      const startedAt = performance.now();
      await start(testbed.flushers);
      await eventually(async () => (await testbed.withRedis((redis) => redis.xlen(EVENT_STREAM))) === 0, TIMEOUT_MS);
      const took = (performance.now() - startedAt) / 1_000;
      const events = clients.history.acknowledgedEvents.length;
      note(`${events} events stored in ${took.toFixed(1)} s, ${Math.round(events / took)} a second`);
    },
  };
}

/** Resolves with the number of appended entries. */
export async function flood(
  testbed: ScenarioContext['testbed'],
  { history }: Clients,
  seconds: number,
): Promise<number> {
  const emails = await testbed.database.query<{ id: string }>(
    'select tracking_id as id from emails where organization_id = $1',
    [history.organizationId],
  );
  const startedAt = performance.now();
  let [events, entries] = [0, 0];
  await testbed.withRedis(async (redis) => {
    for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - startedAt) / 1_000) {
      const append = redis.pipeline();
      for (; events < elapsed * EVENTS_PER_SECOND; events += EVENTS_PER_ENTRY, entries++) {
        const ids = Array.from({ length: EVENTS_PER_ENTRY }, () => uuidV7(Date.now()));
        const emailOf = (index: number) => emails[(events + index) % emails.length]!.id;
        const opens = ids.map((id, at) => ({ type: 'opened', id, emailTrackingId: emailOf(at) }) as const);
        append.xadd(EVENT_STREAM, '*', ENTRY_FIELD, packEntry(opens.map(encodeEvent)));
        for (const { type, id, emailTrackingId: trackingId } of opens) {
          history.hits.push({ type, trackingId, hasResponse: true, id, milliseconds: 0 });
        }
      }
      await append.exec();
      await delay(TICK_MS);
    }
  });
  return entries;
}
