import { Queue, Worker } from 'bullmq';
import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import { SendEmailProcessor } from '../../../src/roles/worker/send-email.processor.js';
import { WebhookProcessor } from '../../../src/roles/worker/webhook.processor.js';
import { CapturedLog } from '../../support/captured-log.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';
import { eventually } from '../../support/eventually.js';

let redis: RedisConnection;
let log: CapturedLog;
let processors: Record<'delivery' | 'webhook', SendEmailProcessor | WebhookProcessor>;
beforeEach(async () => {
  redis = await connectToTestRedis();
  await redis.flushdb();
  const outages = new StoreOutages();
  log = new CapturedLog('warn', ['worker'], outages);
  outages.reportTo(log.logger);
  const unused = undefined as never;
  processors = {
    delivery: new SendEmailProcessor(unused, unused, unused, unused, unused, log.logger, unused),
    webhook: new WebhookProcessor(unused, log.logger),
  };
});
afterEach(() => redis.disconnect());

/** The lines of a worker whose running job loses this key. */
async function linesWithout(key: (jobId: string) => string, onError: (error: Error) => void): Promise<object[]> {
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  const queue = new Queue('standstill', { connection: redis });
  const worker = new Worker('standstill', async ({ id }) => void (await redis.del(key(id!))), { connection });
  worker.on('error', onError);
  try {
    await queue.add('job', {});
    await eventually(() => log.text !== '');
  } finally {
    await worker.close();
    await queue.close();
    connection.disconnect();
  }
  return log.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

describe.each(['delivery', 'webhook'] as const)('the consumer of the %s queue', (name) => {
  const onError = (error: Error): void => processors[name].onError(error);
  const msg = `Error on the ${name} queue`;

  it('says once that it alone may not log in to Redis', () => {
    for (let tries = 0; tries < 3; tries++) onError(new Error('WRONGPASS invalid username-password pair'));
    expect(JSON.parse(log.text)).toMatchObject({ msg: 'Redis is not available', reason: 'redis denies access' });
  });

  it('leaves an outage to the line about Redis', () => {
    onError(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), { code: 'ECONNREFUSED' }));
    expect(log.text).toBe('');
  });

  it.each([
    ['lock', (id: string) => `bull:standstill:${id}:lock`],
    ['key', (id: string) => `bull:standstill:${id}`],
  ])('logs a plain line about the missing %s of a job after a standstill', async (missing, key) => {
    const reason = expect.stringMatching(`^Missing ${missing} for job `);
    const lines = await linesWithout(key, onError);
    expect(lines[0]).toMatchObject({ msg, reason });
    expect(lines[0]).not.toHaveProperty('err');
  });

  it('logs a plain line when Redis ends its wait because the jobs are gone', () => {
    onError(new Error('UNBLOCKED the stream key no longer exists'));
    expect(JSON.parse(log.text)).not.toHaveProperty('err');
  });

  it('logs any other error with its stack', () => {
    onError(new Error('Lua'));
    expect(JSON.parse(log.text)).toMatchObject({ msg, err: { message: 'Lua', stack: expect.anything() } });
  });
});
