import { jest } from '@jest/globals';
import { Queue } from 'bullmq';
import { QUEUE_PREFIX, QUEUES } from '../../../src/platform/queue/jobs.js';
import { connectForBlocking, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { EmailRecovery } from '../../../src/emails/delivery/email-recovery.js';
import { eventually } from '../../support/eventually.js';
import { TestService } from '../../support/service.js';

const JOB = 'recover-emails';
const TEN_MINUTES_MS = 600_000;

let service: TestService;
let redis: RedisConnection;
let queue: Queue;

beforeEach(async () => {
  service = await TestService.start();
  redis = connectForBlocking(service.settings.REDIS_URL);
  queue = new Queue(QUEUES.recurring, { connection: redis, prefix: QUEUE_PREFIX });
  await eventually(async () => (await next()) > 0);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await queue?.close();
  redis?.disconnect();
  await service?.stop();
});

async function next(): Promise<number> {
  return (await queue.getJobScheduler(JOB))?.next ?? 0;
}

it('a recurring job that a clock ten minutes ahead has put off runs within seconds', async () => {
  const recovery = jest.spyOn(EmailRecovery.prototype, 'run');
  await queue.removeJobScheduler(JOB);
  await queue.upsertJobScheduler(JOB, { every: 10_000, startDate: Date.now() + TEN_MINUTES_MS }, { name: JOB });
  expect(await next()).toBeGreaterThan(Date.now() + TEN_MINUTES_MS / 2);
  const before = recovery.mock.calls.length;
  await eventually(() => recovery.mock.calls.length > before, 20_000);
  await eventually(async () => (await next()) < Date.now() + TEN_MINUTES_MS / 2);
});

it('a recurring job whose next run Redis has lost runs within seconds', async () => {
  const recovery = jest.spyOn(EmailRecovery.prototype, 'run');
  // As after a restart from an old copy of Redis, without the job.
  await eventually(async () => (await redis.zrem(queue.toKey('delayed'), `repeat:${JOB}:${await next()}`)) === 1);
  await redis.zadd(queue.toKey('repeat'), Date.now() - TEN_MINUTES_MS, JOB);
  const before = recovery.mock.calls.length;
  await eventually(() => recovery.mock.calls.length > before, 20_000);
  await eventually(async () => (await next()) > Date.now() - TEN_MINUTES_MS / 2);
});
