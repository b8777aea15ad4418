import { SETTLED_AFTER_MS, type StoreOutages } from '../health/store-outages.js';
import type { RedisConnection } from './connect.js';

/** A Redis that hangs closes no connection, and idle processes send it no command. */
const PING_EVERY_MS = 5_000;

/** Reports outages of Redis. @returns a function that ends that, before the caller closes the connection */
export function watchRedis(redis: RedisConnection, outages: StoreOutages): () => void {
  let isWatching = true;
  redis.on('error', (error: Error) => outages.failed('Redis', error));
  const ping = (): Promise<void> =>
    redis.ping().then(
      () => outages.responded('Redis'),
      (error: Error) => void (isWatching && outages.explains(error)),
    );
  // The end of an outage need not wait for the next turn.
  redis.on('ready', () => setTimeout(() => void ping(), SETTLED_AFTER_MS).unref());
  const timer = setInterval(() => void ping(), PING_EVERY_MS).unref();
  return () => {
    isWatching = false;
    clearInterval(timer);
  };
}
