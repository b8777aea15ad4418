import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import type { KeyCheck } from '../../../src/organizations/key-check.js';
import { LiveConnections } from '../../../src/events/live/live-connections.js';
import type { LiveFeed } from '../../../src/events/live/live-feed.js';
import type { LiveEnd, LiveMetrics } from '../../../src/events/live/live-metrics.js';
import type { LiveReader } from '../../../src/events/live/live-reader.js';

describe('a live connection that ends', () => {
  it('still sends its client the end, although a message arrives in between', async () => {
    const readers: LiveReader[] = [];
    const ends: LiveEnd[] = [];
    const connections = new LiveConnections(
      { add: async (reader: LiveReader) => void readers.push(reader), remove: () => undefined } as unknown as LiveFeed,
      { recheck: async () => undefined } as unknown as KeyCheck,
      { recordEnd: (end: LiveEnd) => void ends.push(end) } as unknown as LiveMetrics,
      { LIVE_CONNECTIONS: 10, LIVE_CONNECTIONS_PER_ORGANIZATION: 10 },
      pino({ level: 'silent' }),
    );
    let isReset = false;
    const socket = Object.assign(new EventEmitter(), { destroy: () => (isReset = true) });
    const body = connections.connect({ raw: { socket } } as unknown as FastifyRequest, 'organization', undefined);
    const closing = connections.onModuleDestroy();
    readers[0]!.pause();
    body.resume();
    await closing;
    expect([ends, isReset]).toEqual([['drain'], false]);
  });
});
