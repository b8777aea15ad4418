import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import { watchRedis } from '../../../src/platform/redis/watch-outages.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a connection that the process itself closes is no outage', async () => {
  const outages = new StoreOutages();
  const ping = jest.fn(() => Promise.reject(new Error('Connection is closed.')));
  const redis = Object.assign(new EventEmitter(), { ping });
  const unwatch = watchRedis(redis as unknown as RedisConnection, outages);
  redis.emit('ready');
  unwatch();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(outages.isOngoing('Redis')).toBe(false);
});

it('a ping that fails is an outage', async () => {
  const outages = new StoreOutages();
  const ping = jest.fn(() => Promise.reject(new Error('Command timed out')));
  const redis = Object.assign(new EventEmitter(), { ping });
  const unwatch = watchRedis(redis as unknown as RedisConnection, outages);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(outages.isOngoing('Redis')).toBe(true);
  unwatch();
});
