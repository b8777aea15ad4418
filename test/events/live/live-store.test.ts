import { randomUUID } from 'node:crypto';
import { channelOf, LiveStore } from '../../../src/events/live/live-store.js';
import { connectForBlocking } from '../../../src/platform/redis/connect.js';
import { createTestRedis } from '../../support/services.js';

it('a client that reconnects after nobody listened for a while learns that it may have missed messages', async () => {
  const { url } = await createTestRedis();
  const redis = connectForBlocking(url);
  try {
    const store = new LiveStore(redis);
    const organizationId = randomUUID();
    const { lastId } = await store.open(organizationId, undefined);
    expect(await store.open(organizationId, lastId)).toEqual({ lastId, entries: [] });
    // The mark of the listeners expires before their stream.
    const marks = (await redis.keys('*')).filter((key) => key !== channelOf(organizationId));
    expect(marks).toHaveLength(1);
    await redis.del(marks);
    expect(await store.listened([organizationId])).toEqual([]);
    const again = await store.open(organizationId, lastId);
    expect(again.entries).toBeUndefined();
    expect(again.lastId).not.toBe(lastId);
  } finally {
    redis.disconnect();
  }
});
