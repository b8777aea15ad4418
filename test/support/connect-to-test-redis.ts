import { connectForCommands, type RedisConnection } from '../../src/platform/redis/connect.js';
import { eventually } from './eventually.js';
import { createTestRedis } from './services.js';

/** Connects to an empty logical database. The caller disconnects. */
export async function connectToTestRedis(): Promise<RedisConnection> {
  const redis = connectForCommands((await createTestRedis()).url);
  await eventually(() => redis.status === 'ready');
  return redis;
}
