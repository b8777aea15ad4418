import { SETTLED_AFTER_MS, type StoreOutages } from '../health/store-outages.js';
import type { RedisConnection } from './connect.js';
import { refusalReason } from './refused-writes.js';
import { tryToWrite } from './write-probe.js';

/** A Redis that hangs closes no connection, and idle processes send it no command. */
const TRY_EVERY_MS = 5_000;

/** Reports outages of Redis. @returns a function that ends that, before the caller closes the connection */
export function watchRedis(redis: RedisConnection, outages: StoreOutages): () => void {
  let isWatching = true;
  redis.on('error', (error: Error) => outages.failed('Redis', error));
  const refused = (error: Error): void => {
    if (!isWatching || outages.explains(error)) return;
    // A full Redis is not down.
    if (refusalReason(error.message) !== undefined) outages.responded('Redis');
  };
  const attempt = (): Promise<void> => tryToWrite(redis).then(() => outages.responded('Redis'), refused);
  // The end of an outage need not wait for the next turn.
  redis.on('ready', () => setTimeout(() => void attempt(), SETTLED_AFTER_MS).unref());
  const timer = setInterval(() => void attempt(), TRY_EVERY_MS).unref();
  return () => {
    isWatching = false;
    clearInterval(timer);
  };
}
