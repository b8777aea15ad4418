import { Global, Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { ClientAddresses } from '../platform/http/client-address.js';
import { REDIS, type RedisConnection } from '../platform/redis/connect.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';
import { SessionsModule } from '../users/sessions/sessions.module.js';
import { OrganizationsModule } from './organizations.module.js';
import { KeyCheck } from './key-check.js';
import { RateLimits } from '../platform/http/rate-limits.js';
import { WrongKeyLimits } from './wrong-key-limits.js';

/** Rate limits and key and session checks of API requests. */
@Global()
@Module({
  imports: [OrganizationsModule, SessionsModule],
  providers: [
    {
      provide: TokenBuckets,
      inject: [REDIS],
      useFactory: (redis: RedisConnection) => new TokenBuckets(redis),
    },
    RateLimits,
    WrongKeyLimits,
    KeyCheck,
    {
      provide: ClientAddresses,
      inject: [SETTINGS],
      useFactory: ({ TRUSTED_PROXIES }: Settings) => new ClientAddresses(TRUSTED_PROXIES),
    },
  ],
  exports: [RateLimits, TokenBuckets, ClientAddresses, KeyCheck],
})
export class RateLimitsModule {}
