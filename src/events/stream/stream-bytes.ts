import type { Redis } from 'ioredis';
import { EVENT_STREAM } from './stream-keys.js';

/** The approximate memory of the stream in Redis. */
export async function streamBytes(redis: Redis): Promise<number> {
  return Number((await redis.call('MEMORY', 'USAGE', EVENT_STREAM)) ?? 0);
}
