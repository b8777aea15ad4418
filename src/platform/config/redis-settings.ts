import { redisUrl } from './redis-url.js';
import { hostList, optionalText, secret, text } from './setting-types.js';

/** Settings of the Redis connection. */
export const redisVariables = {
  REDIS_URL: redisUrl({
    description: 'Redis or Valkey 6.2 or newer, with noeviction and append-only persistence (unset: embedded)',
    example: 'redis://:secret@redis.internal:6379/0',
    optional: true,
  }),
  REDIS_SENTINELS: hostList({
    description:
      'Sentinels that locate the primary, as host:port,…; REDIS_URL then provides only user, password, database and TLS',
    example: 'sentinel-1.internal:26379,sentinel-2.internal:26379,sentinel-3.internal:26379',
    optional: true,
  }),
  REDIS_SENTINEL_MASTER: text({
    description: 'Name of the primary in the Sentinel configuration',
    default: 'mymaster',
  }),
  REDIS_SENTINEL_USERNAME: optionalText({
    description: 'User name for the Sentinels, if they require one',
    example: 'mailbeacon',
    optional: true,
  }),
  REDIS_SENTINEL_PASSWORD: secret({
    description: 'Password for the Sentinels, if they require one',
    example: 'secret',
    optional: true,
  }),
  REDIS_CLUSTER: hostList({
    description: 'Seed nodes of a Redis Cluster, as host:port,…; REDIS_URL then provides only user, password and TLS',
    example: 'redis-1.internal:6379,redis-2.internal:6379,redis-3.internal:6379',
    optional: true,
  }),
};
