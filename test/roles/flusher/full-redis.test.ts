import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { EventPipeline } from './event-pipeline.js';
import { countersAfter, engagementOf, readCounters, sendMail } from './sent-mail.js';

it('a flusher that starts while the memory of Redis is full stores the events that fill it', async () => {
  const server = await PrivateRedis.start();
  const pipeline = await EventPipeline.open(server.url);
  try {
    const mail = await sendMail(pipeline.database, [1, 1, 1]);
    pipeline.startFlusher();
    await pipeline.append(...engagementOf(mail, 1));
    await eventually(() => pipeline.isDrained());
    await pipeline.stopFlushers();
    await pipeline.append(...engagementOf(mail, 3));
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(pipeline.redis.set('key', 'value')).rejects.toThrow('OOM');
    pipeline.startFlusher();
    await eventually(async () => (await pipeline.redis.xlen(EVENT_STREAM)) === 0);
    expect(await readCounters(pipeline.database)).toEqual(countersAfter(4, 4));
  } finally {
    await pipeline.close();
    await server.remove();
  }
});
