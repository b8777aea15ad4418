import { pino } from 'pino';
import { Registry } from 'prom-client';
import { EventStore } from '../../../src/events/store/event-store.js';
import { StoreMetrics } from '../../../src/events/store/store-metrics.js';
import { StoreWriter } from '../../../src/events/store/store-writer.js';
import type { WriterLimits } from '../../../src/events/store/writer-limits.js';
import { TrailingGroup } from '../../../src/events/stream/trailing-group.js';
import { EVENT_STREAM, STORE_GROUP } from '../../../src/events/stream/stream-keys.js';
import type { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { readCounters } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';

const LIMITS: WriterLimits = {
  streamBytes: 32 * 1024 * 1024,
  lagMs: 30_000,
  intervalMs: 0,
  roundMs: 0,
  maxBackoffMs: 50,
  removalDelayMs: 0,
};

/** Starts a writer without the pauses that reduce the load of a real store. */
export function startWriter(pipeline: EventPipeline, url: string, limits: Partial<WriterLimits> = {}): StoreWriter {
  const writer = new StoreWriter(
    pipeline.consumer(undefined, STORE_GROUP),
    new TrailingGroup(pipeline.redis),
    pipeline.database,
    new EventStore(url),
    pino({ level: 'silent' }),
    new StoreMetrics(new Registry()),
    { ...LIMITS, ...limits },
  );
  writer.start();
  return writer;
}

export function isFlushed({ database }: EventPipeline, events: number): Promise<boolean> {
  return eventually(async () => (await readCounters(database))['events'] === events);
}

export function isStreamEmpty({ redis }: EventPipeline): Promise<boolean> {
  return eventually(async () => (await redis.xlen(EVENT_STREAM)) === 0);
}
