import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { announceResult, ResultChannel, resultChannelOf } from '../../../src/platform/queue/result-channel.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { eventually } from '../../support/eventually.js';
import { createTestRedis } from '../../support/services.js';

const TIMEOUT_MS = 10_000;

let redis: Redis;
let channel: ResultChannel;

beforeAll(async () => {
  const { url } = await createTestRedis();
  redis = connectForCommands(url);
  channel = new ResultChannel(redis, pino({ level: 'silent' }));
  channel.onModuleInit();
  await eventually(async () => redis.status === 'ready');
  await eventually(async () => (await redis.pubsub('NUMSUB', resultChannelOf(channel.instance)))[1] === 1);
});

afterAll(() => {
  channel.onApplicationShutdown();
  redis.disconnect();
});

it('delivers the result of an email, and only to requests that wait for this email', async () => {
  const [mine, other] = [channel.expect('e1'), channel.expect('e2')];
  const sent = { status: 'sent', providerId: 'p1', urls: ['https://a.test/?q="1"', 'https://b.test'] } as const;
  await announceResult(redis, channel.instance, 'e1', sent);
  expect(await mine.arrivedWithin(TIMEOUT_MS)).toEqual(sent);

  const failed = { status: 'failed', reason: 'No such user' } as const;
  await announceResult(redis, channel.instance, 'e2', failed);
  expect(await other.arrivedWithin(TIMEOUT_MS)).toEqual(failed);
});

it('wakes without a result when the worker has none', async () => {
  const again = channel.expect('e3');
  await announceResult(redis, channel.instance, 'e3');
  expect(await again.arrivedWithin(TIMEOUT_MS)).toBeUndefined();
});

it.each(['', 'null', '{', '{"emailId":7}', '[]', '"text"'])(
  'outlives what no worker writes on its channel: %j',
  async (message) => {
    const mine = channel.expect('e6');
    await redis.publish(resultChannelOf(channel.instance), message);
    await announceResult(redis, channel.instance, 'e6', { status: 'failed', reason: 'No such user' });
    expect(await mine.arrivedWithin(TIMEOUT_MS)).toEqual({ status: 'failed', reason: 'No such user' });
  },
);

it('treats a result with invalid fields as missing: the API reads Postgres', async () => {
  const mine = channel.expect('e7');
  const wrong = { emailId: 'e7', result: { status: 'sent', providerId: 7, urls: [null] } };
  await redis.publish(resultChannelOf(channel.instance), JSON.stringify(wrong));
  expect(await mine.arrivedWithin(TIMEOUT_MS)).toBeUndefined();
});

/** The ID that Redis gave the connection with the subscription. Other tests use other databases of this Redis. */
async function subscribedConnection(): Promise<string | undefined> {
  const clients = (await redis.client('LIST', 'TYPE', 'PUBSUB')) as string;
  const ours = clients.split('\n').find((client) => client.includes(` db=${redis.options.db} `));
  return /^id=(\d+)/.exec(ours ?? '')?.[1];
}

it('subscribes anew when the connection for commands is made anew: its own may lead to a demoted primary', async () => {
  const before = await subscribedConnection();
  expect(before).toBeDefined();
  const ready = once(redis, 'ready');
  redis.disconnect(true);
  await ready;
  await eventually(async () => ![before, undefined].includes(await subscribedConnection()));

  const mine = channel.expect('e8');
  await announceResult(redis, channel.instance, 'e8', { status: 'failed', reason: 'No such user' });
  expect(await mine.arrivedWithin(TIMEOUT_MS)).toEqual({ status: 'failed', reason: 'No such user' });
});
