import { jest } from '@jest/globals';
import { DelayedError, Queue } from 'bullmq';
import { MonitoredWorker } from '../../../../src/roles/worker/bullmq-overrides/monitored-worker.js';
import { blockingConnectionOptions } from '../../../../src/platform/redis/connect.js';
import { eventually } from '../../../support/eventually.js';
import { createTestRedis } from '../../../support/services.js';
import { TcpProxy } from '../../../support/tcp-proxy.js';

const DAY_MS = 86_400_000;

afterEach(() => jest.restoreAllMocks());

it.each([
  ['ahead', 100 * DAY_MS],
  ['behind', -100 * DAY_MS],
])('a job that was delayed by a clock 100 days %s runs as soon as the clock is right', async (_, skewMs) => {
  const { url } = await createTestRedis();
  const queue = new Queue('delayed', { connection: blockingConnectionOptions(url) });
  let runs = 0;
  const consumer = new MonitoredWorker(
    'delayed',
    async (job, token) => {
      if (++runs > 1) return;
      const rightTime = Date.now();
      const wrong = jest.spyOn(Date, 'now').mockImplementation(() => rightTime + skewMs);
      await consumer.putOff(job, 100, token);
      wrong.mockRestore();
      throw new DelayedError();
    },
    { connection: blockingConnectionOptions(url), drainDelay: 1 },
  );
  try {
    await queue.add('any', {}, { removeOnComplete: true });
    await eventually(
      async () => runs === 2 && (await queue.getJobCounts('delayed', 'active', 'waiting')).delayed === 0,
    );
  } finally {
    await consumer.close();
    await queue.close();
  }
});

it('jobs that were put off leave others their turn, even if the clock of the worker is ahead', async () => {
  const { url } = await createTestRedis();
  const queue = new Queue('ahead', { connection: blockingConnectionOptions(url) });
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + 600_000);
  const runs = { 'put off': 0, other: 0 };
  const consumer = new MonitoredWorker(
    'ahead',
    async (job, token) => {
      runs[job.name as keyof typeof runs] += 1;
      if (job.name === 'other') return;
      await consumer.putOff(job, 60_000, token);
      throw new DelayedError();
    },
    { connection: blockingConnectionOptions(url), drainDelay: 1, concurrency: 2 },
  );
  try {
    const options = { removeOnComplete: true };
    for (let priority = 1; priority <= 10; priority++) await queue.add('put off', {}, { ...options, priority });
    await eventually(() => runs['put off'] >= 10);
    for (let priority = 11; priority <= 20; priority++) await queue.add('other', {}, { ...options, priority });
    await eventually(() => runs.other === 10);
    expect(runs['put off']).toBe(10);
  } finally {
    await consumer.close();
    await queue.close();
  }
});

it('fetches jobs again after a Redis that was silent on two connections in a row', async () => {
  const { url } = await createTestRedis();
  const proxy = await TcpProxy.before(new URL(url));
  const queue = new Queue('silent', { connection: blockingConnectionOptions(url) });
  const connection = blockingConnectionOptions(proxy.through(url));
  const consumer = new MonitoredWorker('silent', null, { connection, autorun: false });
  consumer.on('error', () => undefined);
  try {
    await queue.add('any', {});
    await consumer.waitUntilReady();
    const client = await (consumer as unknown as { backend: { client: Promise<{ status: string }> } }).backend.client;
    proxy.hold();
    const fetched = [consumer.getNextJob('first', { block: false })];
    await eventually(() => proxy.isHoldingBack);
    proxy.cut();
    // Connected, but Redis has not said yet whether it is ready.
    await eventually(() => client.status === 'connect' && proxy.isHoldingBack);
    fetched.push(consumer.getNextJob('second', { block: false }));
    proxy.cut();
    await eventually(() => client.status === 'reconnecting');
    proxy.release();
    expect((await Promise.all(fetched)).filter((job) => job?.name === 'any')).toHaveLength(1);
  } finally {
    await consumer.close(true);
    await queue.close();
    await proxy.goDown();
  }
});
