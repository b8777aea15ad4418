import { EVENT_STREAM, FLUSHER_GROUP } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import type { Scenario } from '../scenario.js';
import { readGroup, type StreamGroup } from '../stream-groups.js';
import type { Testbed } from '../testbed/testbed.js';
import { EVENTS_PER_SECOND, flood } from './event-flood.js';
import { isComplete, withEventStore } from './with-event-store.js';

const SETTLED_WITHIN_MS = 120_000;
const STORED_WITHIN_MS = 600_000;
/**
 * A third more than the 307 MB that flushers took at first: under full load they have 230 MB, and their writers copy a
 * backlog besides. A container has 512 MB.
 */
const MAX_MEMORY_MB = { flusher: 410 };

/** The outage exceeds what the stream keeps, so the flushers skip entries and copy their hours from Postgres. */
export function storeAwayInFlood(seconds: number, id: string): Scenario {
  const fault = `the event store is down for ${seconds} s of ${EVENTS_PER_SECOND} opens a second, more than the stream keeps`;
  // So many opens would exceed the limit of pending webhooks, and the rest would be skipped.
  const about = { id, fault, withinMs: 600_000, subscribedEvents: ['EMAIL_SENT'], maxMemoryMb: MAX_MEMORY_MB } as const;
  return withEventStore(about, async (context, store) => {
    const { testbed, clients, expect, note } = context;
    await store.comeUp();
    await isComplete(context, store);
    await store.goDown();
    const appended = await flood(testbed, clients, seconds);
    await eventually(async () => isAllRead(await readGroup(testbed, FLUSHER_GROUP)), STORED_WITHIN_MS);
    const hours = await eventually(async () => (await hoursToCopy(testbed)) || undefined, SETTLED_WITHIN_MS);
    const kept = await testbed.withRedis((redis) => redis.xlen(EVENT_STREAM));
    expect('the stream keeps less than was appended', kept < appended);
    note(`${appended} entries appended, ${kept} kept, events of ${hours} hours to copy from Postgres`);
    await store.comeUp();
    await isComplete(context, store, STORED_WITHIN_MS);
  });
}

function isAllRead(group: StreamGroup | undefined): boolean {
  return group !== undefined && group.pending + group.unread === 0;
}

async function hoursToCopy({ database }: Testbed): Promise<number> {
  const [row] = await database.query<{ hours: number }>('select count(*)::int as hours from event_store_gaps');
  return row!.hours;
}
