import { Queue, Worker } from 'bullmq';
import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import { SendEmailProcessor } from '../../../src/roles/worker/send-email.processor.js';
import { CapturedLog } from '../../support/captured-log.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';
import { eventually } from '../../support/eventually.js';

let redis: RedisConnection;
let log: CapturedLog;
let processor: SendEmailProcessor;
beforeEach(async () => {
  redis = await connectToTestRedis();
  await redis.flushdb();
  const outages = new StoreOutages();
  log = new CapturedLog('warn', ['worker'], outages);
  outages.reportTo(log.logger);
  const unused = undefined as never;
  processor = new SendEmailProcessor(unused, unused, unused, unused, unused, log.logger, unused);
});
afterEach(() => redis.disconnect());

/** The lines of a worker whose running job loses this key. */
async function linesWithout(key: (jobId: string) => string): Promise<object[]> {
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  const queue = new Queue('standstill', { connection: redis });
  const worker = new Worker('standstill', async ({ id }) => void (await redis.del(key(id!))), { connection });
  worker.on('error', (error) => processor.onError(error));
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

it('a worker whose queue alone may not log in to Redis says so once', () => {
  for (let tries = 0; tries < 3; tries++) processor.onError(new Error('WRONGPASS invalid username-password pair'));
  expect(JSON.parse(log.text)).toMatchObject({ msg: 'Redis is not available', reason: 'redis denies access' });
});

describe('a worker that stood still, and lost its job', () => {
  it.each([
    ['lock', (id: string) => `bull:standstill:${id}:lock`],
    ['key', (id: string) => `bull:standstill:${id}`],
  ])('logs a plain line about the missing %s', async (missing, key) => {
    const reason = expect.stringMatching(`^Missing ${missing} for job `);
    const lines = await linesWithout(key);
    expect(lines[0]).toMatchObject({ msg: 'Error on the delivery queue', reason });
    expect(lines[0]).not.toHaveProperty('err');
  });

  it('logs a plain line when Redis ends its wait because the jobs are gone', () => {
    processor.onError(new Error('UNBLOCKED the stream key no longer exists'));
    expect(JSON.parse(log.text)).not.toHaveProperty('err');
  });

  it('logs any other error with its stack', () => {
    processor.onError(new Error('Lua'));
    expect(JSON.parse(log.text)).toMatchObject({ err: { message: 'Lua', stack: expect.anything() } });
  });
});
