import { hosts, optionalText, secret, text, url } from './setting-types.js';

/** Where Redis is. */
export const redisVariables = {
  REDIS_URL: url(['redis:', 'rediss:'], {
    description: 'Redis or Valkey 6.2 or newer, with noeviction and append-only persistence (unset: embedded)',
    example: 'redis://:secret@redis.internal:6379/0',
    optional: true,
  }),
  REDIS_SENTINELS: hosts({
    description:
      'Sentinels that name the primary, as host:port,…; REDIS_URL then gives its user, password, database and TLS alone',
    example: 'sentinel-1.internal:26379,sentinel-2.internal:26379,sentinel-3.internal:26379',
    optional: true,
  }),
  REDIS_SENTINEL_MASTER: text({ description: 'Name under which the Sentinels know the primary', default: 'mymaster' }),
  REDIS_SENTINEL_USERNAME: optionalText({
    description: 'User of the Sentinels, where they have users',
    example: 'mailbeacon',
    optional: true,
  }),
  REDIS_SENTINEL_PASSWORD: secret({
    description: 'Password of the Sentinels, where they have one',
    example: 'secret',
    optional: true,
  }),
  REDIS_CLUSTER: hosts({
    description:
      'Some nodes of a Redis Cluster, as host:port,…: they name the others; REDIS_URL then gives user, password and TLS alone',
    example: 'redis-1.internal:6379,redis-2.internal:6379,redis-3.internal:6379',
    optional: true,
  }),
};
