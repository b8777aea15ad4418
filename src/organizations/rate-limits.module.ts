import { Global, Module } from '@nestjs/common';
import { SETTINGS, type RunSettings, type Settings } from '../platform/config/settings.js';
import { BodyBudget, bodyBytesLimit } from '../platform/http/body-budget.js';
import { LARGEST_BODY_BYTES } from '../platform/http/body-limits.js';
import { ClientAddresses } from '../platform/http/client-address.js';
import { RateLimits } from '../platform/http/rate-limits.js';
import { REDIS, type RedisConnection } from '../platform/redis/connect.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';
import { WrongKeyLimits } from './wrong-key-limits.js';

/** What clients may use at most: requests, wrong keys, and memory for what they send. */
@Global()
@Module({
  providers: [
    {
      provide: TokenBuckets,
      inject: [REDIS],
      useFactory: (redis: RedisConnection) => new TokenBuckets(redis),
    },
    RateLimits,
    WrongKeyLimits,
    {
      provide: ClientAddresses,
      inject: [SETTINGS],
      useFactory: ({ TRUSTED_PROXIES }: Settings) => new ClientAddresses(TRUSTED_PROXIES),
    },
    {
      provide: BodyBudget,
      inject: [SETTINGS],
      useFactory: (settings: RunSettings) => new BodyBudget(bodyBytesLimit(settings), LARGEST_BODY_BYTES),
    },
  ],
  exports: [RateLimits, TokenBuckets, WrongKeyLimits, ClientAddresses, BodyBudget],
})
export class RateLimitsModule {}
