import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { LiveFeed } from '../../../src/events/live/live-feed.js';
import { LiveReader } from '../../../src/events/live/live-reader.js';
import { channelOf, type LiveEntry, type LiveSnapshot, type LiveStore } from '../../../src/events/live/live-store.js';
import type { EventStream } from '../../../src/platform/http/event-stream.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { createTestRedis } from '../../support/services.js';

const entry = (id: string): LiveEntry => ({ id, messages: [{ type: 'refresh', at: id }] });

it('a reader whose subscription breaks while it joins gets every entry, in order', async () => {
  const { url } = await createTestRedis();
  const redis = connectForCommands(url);
  const reads: { readonly after: string | undefined; readonly end: (snapshot: LiveSnapshot) => void }[] = [];
  const open = (_: string, after: string | undefined) =>
    new Promise<LiveSnapshot>((end) => void reads.push({ after, end }));
  const feed = new LiveFeed(redis, { open } as unknown as LiveStore, pino({ level: 'silent' }));
  feed.onModuleInit();
  try {
    const sent: string[] = [];
    const output = { send: ({ event, id }: { event?: string; id?: string }) => sent.push(`${event} ${id}`) > 0 };
    const reader = new LiveReader(randomUUID(), output as unknown as EventStream, '1-0', () => undefined);
    const arrive = jest.spyOn(reader, 'arrive');
    void feed.add(reader);
    await eventually(() => reads.length === 1);
    redis.emit('reconnecting');
    await eventually(() => reads.length === 2);
    expect(reads.map(({ after }) => after)).toEqual(['1-0', '1-0']);

    // The first read ends late: it does not have the entry 2-0, and neither has the channel.
    reads[0]!.end({ lastId: '1-0', entries: [] });
    await redis.publish(channelOf(reader.organizationId), `3-0 ${JSON.stringify(entry('3-0').messages)}`);
    await eventually(() => arrive.mock.calls.length === 1);
    reads[1]!.end({ lastId: '3-0', entries: [entry('2-0'), entry('3-0')] });
    await eventually(() => sent.includes('refresh 3-0'));
    expect(sent).toEqual(['paused 1-0', 'refresh 2-0', 'refresh 3-0', 'ready 3-0']);
  } finally {
    feed.onApplicationShutdown();
    redis.disconnect();
  }
});
