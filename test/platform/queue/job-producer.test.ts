import { Queue } from 'bullmq';
import { pino } from 'pino';
import { JobProducer } from '../../../src/platform/queue/job-producer.js';
import { QUEUE_PREFIX, QUEUES } from '../../../src/platform/queue/jobs.js';
import { blockingConnectionOptions, connectForCommands } from '../../../src/platform/redis/connect.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { eventually } from '../../support/eventually.js';

it('adds jobs as soon as Redis is available, even if it was down at the start', async () => {
  const server = await PrivateRedis.start();
  await server.kill();
  const redis = connectForCommands(server.url);
  redis.on('error', () => undefined);
  const producer = new JobProducer(redis, pino({ level: 'silent' }));
  const add = () => producer.add('send-email', { payload: { emailId: 'e1' }, jobId: 'email-e1-0' });
  await expect(add()).rejects.toThrow();

  await server.start();
  await eventually(async () => redis.status === 'ready');
  await add();
  const queue = new Queue(QUEUES.emails, { connection: blockingConnectionOptions(server.url), prefix: QUEUE_PREFIX });
  expect(await queue.getWaitingCount()).toBe(1);

  await queue.close();
  await producer.onApplicationShutdown();
  redis.disconnect();
  await server.remove();
});
