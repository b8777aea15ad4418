import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import { watchRedis } from '../../../src/platform/redis/watch-outages.js';
import { CapturedLog } from '../../support/captured-log.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a connection that the process itself closes is no outage', async () => {
  const outages = new StoreOutages();
  const set = jest.fn(() => Promise.reject(new Error('Connection is closed.')));
  const redis = Object.assign(new EventEmitter(), { set });
  const unwatch = watchRedis(redis as unknown as RedisConnection, outages);
  redis.emit('ready');
  unwatch();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(outages.isOngoing('Redis')).toBe(false);
});

it('a write that fails is an outage', async () => {
  const outages = new StoreOutages();
  const set = jest.fn(() => Promise.reject(new Error('Command timed out')));
  const redis = Object.assign(new EventEmitter(), { set });
  const unwatch = watchRedis(redis as unknown as RedisConnection, outages);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(outages.isOngoing('Redis')).toBe(true);
  unwatch();
});

it.each([
  ['NOREPLICAS Not enough good replicas to write.', 'redis has too few replicas'],
  ["READONLY You can't write against a read only replica.", 'redis is a read only replica'],
  ['MISCONF Errors writing to the AOF file: No space left on device', 'redis cannot write to its disk'],
])(
  'a Redis that responds to PING but refuses writes with %s is one outage until it accepts one',
  async (refusal, reason) => {
    const outages = new StoreOutages(() => Date.now());
    const log = new CapturedLog('warn', ['worker'], outages);
    const set = jest.fn(() => Promise.reject(new Error(refusal)));
    const redis = Object.assign(new EventEmitter(), { ping: () => Promise.resolve('PONG'), set });
    const unwatch = watchRedis(redis as unknown as RedisConnection, outages);
    log.logger.warn({ err: new Error(`${refusal} script: abc, on @user_script:20.`) }, 'Error on the delivery queue');
    await jest.advanceTimersByTimeAsync(30_000);
    expect(messages(log)).toEqual([`Redis is not available: ${reason}`]);
    set.mockImplementation(() => Promise.resolve('OK') as never);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(messages(log)).toEqual([`Redis is not available: ${reason}`, 'Redis is available again']);
    unwatch();
  },
);

it('an outage ends with a Redis that is full: it is no longer down', async () => {
  const outages = new StoreOutages(() => Date.now());
  const set = jest.fn(() => Promise.reject(new Error('Command timed out')));
  const redis = Object.assign(new EventEmitter(), { set });
  const unwatch = watchRedis(redis as unknown as RedisConnection, outages);
  await jest.advanceTimersByTimeAsync(5_000);
  set.mockImplementation(() => Promise.reject(new Error("OOM command not allowed when used memory > 'maxmemory'.")));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(outages.isOngoing('Redis')).toBe(false);
  unwatch();
});

function messages({ text }: CapturedLog): string[] {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; reason?: string });
  return lines.map(({ msg, reason }) => (reason === undefined ? msg : `${msg}: ${reason}`));
}
