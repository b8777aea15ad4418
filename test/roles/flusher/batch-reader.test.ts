import { ENTRY_FIELD, EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { BatchReader } from '../../../src/roles/flusher/batch-reader.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { EventPipeline } from './event-pipeline.js';
import { clicked, opened } from './sent-mail.js';

const ENTRIES = 100;
const MORE_THAN_DELIVERIES = 30;

let pipeline: EventPipeline;
beforeEach(async () => {
  pipeline = await EventPipeline.open();
});
afterEach(() => pipeline.close());

/**
 * A flusher that takes over what the one before had read, and ends at the entry `culprit`.
 * @returns the entries that it made dead letters; undefined when it ended
 */
async function flushUntil(culprit: string, name: string): Promise<string[] | undefined> {
  const consumer = pipeline.consumer(name);
  await consumer.join();
  await consumer.claimStale(0);
  const reader = new BatchReader(consumer);
  const dead: string[] = [];
  for (let last = '0'; ;) {
    const { entryIds, deadLetters } = await reader.readOwn(last);
    if (entryIds.length === 0) return dead;
    dead.push(...deadLetters.map(({ streamEntryId }) => streamEntryId));
    if (entryIds.includes(culprit) && !dead.includes(culprit)) return undefined;
    await consumer.acknowledge(entryIds);
    last = entryIds.at(-1)!;
  }
}

describe('an entry that crashes every flusher', () => {
  it.each([0, 57, ENTRIES - 1])('becomes a dead letter alone, at place %s of its batch', async (place) => {
    const first = pipeline.consumer('first');
    await first.join();
    const ids: string[] = [];
    for (let index = 0; index < ENTRIES; index++) {
      ids.push((await pipeline.redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, packEntry([encodeEvent(opened('a'))])))!);
    }
    expect((await new BatchReader(first).next(1)).entryIds).toHaveLength(ENTRIES);
    let dead: string[] | undefined;
    for (let flusher = 0; dead === undefined && flusher < MORE_THAN_DELIVERIES; flusher++) {
      dead = await flushUntil(ids[place]!, `flusher ${flusher}`);
    }
    expect(dead).toEqual([ids[place]]);
  });
});

describe('entries with hundreds of events after many with one', () => {
  const LONG_ENTRIES = 200;
  const EVENTS = 512;

  async function append(entries: number, events: () => Buffer[]): Promise<void> {
    for (let entry = 0; entry < entries; entry++)
      await pipeline.redis.xadd(EVENT_STREAM, '*', ENTRY_FIELD, packEntry(events()));
  }

  it('are decoded in parts, each once, so that a flusher with little memory survives them', async () => {
    const consumer = pipeline.consumer('first');
    await consumer.join();
    const reader = new BatchReader(consumer);
    await append(ENTRIES, () => [encodeEvent(opened('a'))]);
    expect((await reader.next(1)).entryIds).toHaveLength(ENTRIES);
    await append(LONG_ENTRIES, () => Array.from({ length: EVENTS }, () => encodeEvent(clicked('a'))));
    const sizes: number[] = [];
    const ids = new Set<string>();
    do {
      const batch = await reader.next(1);
      sizes.push(batch.events.length);
      for (const id of batch.entryIds) ids.add(id);
      if (batch.isFull) reader.prefetch();
    } while (reader.hasMore);
    expect(Math.max(...sizes)).toBeLessThan(60_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(LONG_ENTRIES * EVENTS);
    expect(ids.size).toBe(LONG_ENTRIES);
  });
});
