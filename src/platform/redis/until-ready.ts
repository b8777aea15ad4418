import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { RedisConnectionError } from './outage-errors.js';

const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Waits until a connection is ready, for two seconds.
 * @throws RedisConnectionError, which counts as an outage of Redis
 */
export async function untilReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).catch((error: Error) => {
    throw new RedisConnectionError(error);
  });
}
