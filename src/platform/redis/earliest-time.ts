import type { RedisConnection } from './connect.js';

/**
 * The earlier time of this host and of Redis, in milliseconds since 1970, for jobs that are due later: a host whose
 * clock is ahead would delay them until the other hosts reach that time. A job that runs early does nothing.
 */
export async function earliestTime(redis: Pick<RedisConnection, 'time'>): Promise<number> {
  return Math.min(Date.now(), await redisTime(redis));
}

/** The time of Redis, in milliseconds since 1970. */
export async function redisTime(redis: Pick<RedisConnection, 'time'>): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
