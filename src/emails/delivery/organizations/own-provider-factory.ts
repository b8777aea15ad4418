import { Inject, Injectable } from '@nestjs/common';
import { SenderDomains } from '../../../domains/sender-domains.js';
import { openCredentials } from '../../../organizations/providers/provider-secrets.js';
import { lacksLogin } from '../../../organizations/providers/smtp-login.js';
import { MONOTONIC_CLOCK, type Clock } from '../../../platform/clock/clock.js';
import type { ProviderType } from '../../../platform/config/provider-credentials.js';
import { ORGANIZATIONS_LABEL, type ProviderEntry } from '../../../platform/config/provider-list.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { Database } from '../../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../../platform/database/postgres-clock.js';
import { SecretBox } from '../../../platform/encryption/secret-box.js';
import { LOGGER, type Logger } from '../../../platform/logging/logger.js';
import { GuardedSockets } from '../../../platform/outbound-http/guarded-sockets.js';
import { REDIS, type RedisConnection } from '../../../platform/redis/connect.js';
import { TokenBuckets } from '../../../platform/redis/token-buckets.js';
import type { DeliveryProvider } from '../../../providers/provider.js';
import type { SigningMemory } from '../../../providers/smtp/signing-memory.js';
import { createDeliveryProvider } from '../../../providers/registry.js';
import { DeliveryProviders } from '../delivery-providers.js';
import type { ProviderInUse } from '../provider-in-use.js';
import { DkimSigningProvider } from '../dkim-signing-provider.js';
import { ProviderPause } from '../provider-pause.js';
import { pauseIdOf } from '../provider-pause-key.js';
import { ProviderRate } from '../provider-rate.js';
import { SenderRewrites } from '../sender-rewrites.js';
import { UnusableProvider } from './unusable-provider.js';

interface Row {
  id: string;
  version: number;
  type: ProviderType;
  weight: number | null;
  per_second: number | null;
  sealed_credentials: string;
}

/** Creates the providers that organizations have set up for themselves. */
@Injectable()
export class OwnProviderFactory {
  private readonly buckets: TokenBuckets;

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    private readonly domains: SenderDomains,
    private readonly rewrites: SenderRewrites,
    private readonly sockets: GuardedSockets,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(MONOTONIC_CLOCK) private readonly monotonic: Clock,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.buckets = new TokenBuckets(redis, monotonic);
  }

  /**
   * @param signingMemory shared by all of them
   * @returns undefined if there are none
   */
  async create(organizationId: string, signingMemory: SigningMemory): Promise<DeliveryProviders | undefined> {
    const rows = await this.database.query<Row>(
      `select id, version, type, weight, per_second, sealed_credentials
         from organization_providers where organization_id = $1 order by id`,
      [organizationId],
    );
    if (rows.length === 0) return undefined;
    const logger = this.logger.child({ organizationId });
    const all = rows.map((row) => this.providerOf(row, signingMemory, logger));
    const versions = rows.map(({ id, version }) => `${id}.${version}`).join(',');
    return new DeliveryProviders(all, this.redis, this.monotonic, logger, versions);
  }

  private providerOf(row: Row, signingMemory: SigningMemory, logger: Logger): ProviderInUse {
    const { id, version, weight, per_second: perSecond } = row;
    return {
      id,
      label: ORGANIZATIONS_LABEL,
      provider: this.open(row, signingMemory, logger),
      pause: new ProviderPause(pauseIdOf(id, version), this.redis, this.monotonic, logger, true),
      ...(weight !== null && { weight }),
      ...(perSecond !== null && { rate: new ProviderRate(this.buckets, id, perSecond) }),
    };
  }

  private open(row: Row, signingMemory: SigningMemory, logger: Logger): DeliveryProvider {
    const { id, type, sealed_credentials: sealed } = row;
    const { settings, clock, sockets, domains, rewrites } = this;
    let entry: ProviderEntry;
    try {
      entry = { id, type, credentials: openCredentials(this.box, id, sealed) } as ProviderEntry;
    } catch (error) {
      logger.error({ provider: id, err: error }, 'Could not open the credentials of a provider');
      return new UnusableProvider(type, 'The credentials of the provider cannot be read');
    }
    // Stored by an earlier version, which allowed it.
    if (entry.type === 'smtp' && lacksLogin(entry.credentials.url, settings))
      return new UnusableProvider(type, 'The provider has no user and password: change its credentials');
    const dependencies = { settings, clock, sockets, signingMemory };
    const rights = { domains, rewrites, platformDomain: settings.PLATFORM_SENDING_DOMAIN, isOwnProvider: true };
    return new DkimSigningProvider(createDeliveryProvider(entry, dependencies), rights, logger);
  }
}
