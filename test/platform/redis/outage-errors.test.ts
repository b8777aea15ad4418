import { isRedisConnectionOutage } from '../../../src/platform/redis/outage-errors.js';

it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'])(
  'a connection to Redis that fails with %s is an outage',
  (code) => expect(isRedisConnectionOutage(Object.assign(new Error('from a socket'), { code }))).toBe(true),
);
