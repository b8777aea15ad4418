import { jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { connectForCommands } from '../../../../src/platform/redis/connect.js';
import { eventually } from '../../../support/eventually.js';
import { PrivateRedis } from '../../../support/private-redis.js';

/** Longer than a command may take. */
const BUSY_MS = 1_500;

let server: PrivateRedis;
let redis: Redis;

beforeEach(async () => {
  server = await PrivateRedis.start();
  redis = connectForCommands(server.url);
  redis.on('error', () => undefined);
  await eventually(() => redis.status === 'ready');
});

afterEach(async () => {
  jest.useRealTimers();
  redis.disconnect();
  await server.remove();
});

it('takes a response that arrived while this process was busy', async () => {
  // Timers that are due run right after this phase of the event loop, before anything is read.
  await new Promise(setImmediate);
  const response = redis.ping();
  // Behind the write of the command, which is due at the end of this turn.
  process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS));
  expect(await response).toBe('PONG');
});

it('ends the wait for a Redis that hangs after a second', async () => {
  server.freeze();
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const outcomes: unknown[] = [];
  void redis.ping().catch((error: Error) => outcomes.push(error.message));
  await pass(999);
  expect(outcomes).toEqual([]);
  await pass(1);
  expect(outcomes).toEqual(['Command timed out']);
});

/** Lets the time of this process pass, and what is due then happen. */
async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}
