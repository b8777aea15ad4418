import { SenderDomains } from '../../domains/sender-domains.js';
import { DeliveryProviders } from '../../emails/delivery/delivery-providers.js';
import { DkimSigningProvider } from '../../emails/delivery/dkim-signing-provider.js';
import type { ProviderInUse } from '../../emails/delivery/provider-in-use.js';
import { ProviderPause } from '../../emails/delivery/provider-pause.js';
import { ProviderRate } from '../../emails/delivery/provider-rate.js';
import { ReturnPathProvider } from '../../emails/delivery/return-path-provider.js';
import { SenderRewrites } from '../../emails/delivery/sender-rewrites.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { Clock } from '../../platform/clock/clock.js';
import { providerEntries } from '../../platform/config/provider-entries.js';
import type { RunSettings } from '../../platform/config/settings.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { RedisConnection } from '../../platform/redis/connect.js';
import { TokenBuckets } from '../../platform/redis/token-buckets.js';
import { createDeliveryProvider } from '../../providers/registry.js';

/** Creates the providers that the settings name, each with what every message needs: sender rights and return path. */
export function createDeliveryProviders(
  settings: RunSettings,
  clock: Clock,
  monotonic: Clock,
  redis: RedisConnection,
  logger: Logger,
  domains: SenderDomains,
  rewrites: SenderRewrites,
  keys: SigningKeyRing,
): DeliveryProviders {
  const { BOUNCE_DOMAIN, PLATFORM_SENDING_DOMAIN } = settings;
  const rights = { domains, rewrites, platformDomain: PLATFORM_SENDING_DOMAIN };
  const buckets = new TokenBuckets(redis, monotonic);
  const all = providerEntries(settings).map((entry): ProviderInUse => {
    const { id, weight, perSecond } = entry;
    const plain = createDeliveryProvider(entry, { settings, clock });
    const provider = BOUNCE_DOMAIN ? new ReturnPathProvider(plain, () => keys.current, BOUNCE_DOMAIN) : plain;
    return {
      id,
      provider: new DkimSigningProvider(provider, rights, logger),
      pause: new ProviderPause(id, redis, monotonic, logger),
      ...(weight !== undefined && { weight }),
      ...(perSecond !== undefined && { rate: new ProviderRate(buckets, id, perSecond) }),
    };
  });
  return new DeliveryProviders(all, redis, monotonic, logger);
}
