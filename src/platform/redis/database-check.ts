import type { Redis } from 'ioredis';
import { OperatorError } from '../errors/operator-error.js';

/**
 * Requires the database of REDIS_URL on a ready connection. Without it, the client continues in database 0, where the
 * jobs and events of another installation may be.
 * @throws OperatorError when the server does not have it
 */
export async function requireRedisDatabase(redis: Redis): Promise<void> {
  const { db = 0 } = redis.options;
  if (db === 0) return;
  await redis.select(db).catch((error: Error) => {
    // Other errors, such as a lost connection, say nothing about the database.
    if (!error.message.startsWith('ERR ')) return;
    throw new OperatorError(
      `Redis does not have database ${db} of REDIS_URL (${error.message.slice('ERR '.length)}): set REDIS_URL to one that it has, such as 0`,
    );
  });
}
