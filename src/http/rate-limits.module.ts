import { Global, Module } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { TokenBuckets } from '../redis/token-buckets.js';
import { RateLimits } from './rate-limits.js';

/** What the key guard of every controller asks. */
@Global()
@Module({
  providers: [
    {
      provide: TokenBuckets,
      inject: [REDIS, CLOCK],
      useFactory: (redis: RedisConnection, clock: Clock) => new TokenBuckets(redis, clock),
    },
    RateLimits,
  ],
  exports: [RateLimits],
})
export class RateLimitsModule {}
