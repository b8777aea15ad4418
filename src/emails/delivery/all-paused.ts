import type { RedisConnection } from '../../platform/redis/connect.js';
import { ALL_PAUSED_KEY, type PauseCause } from './provider-pause-key.js';

/** Publishes for other processes that all providers of the service are paused. They miss it while Redis fails. */
export async function publishAllPaused(redis: RedisConnection, cause: PauseCause, remainingMs: number): Promise<void> {
  if (remainingMs <= 0) return;
  await redis.set(ALL_PAUSED_KEY, cause, 'PX', Math.ceil(remainingMs)).catch(() => undefined);
}

/** Publishes that a provider may be called again. */
export async function clearAllPaused(redis: RedisConnection): Promise<void> {
  await redis.del(ALL_PAUSED_KEY).catch(() => undefined);
}
