import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { ALL_PAUSED_KEY, PAUSE_CAUSES, pauseIdOf, providerPauseKey } from '../delivery/provider-pause-key.js';

export const PROVIDER_STATES = ['available', ...PAUSE_CAUSES, 'unknown'] as const;

/** Whether workers call a provider. */
export interface ProviderStateView {
  readonly state: (typeof PROVIDER_STATES)[number];
  /** When workers try again; null unless they wait. */
  readonly until: string | null;
}

/** An organization's own provider. */
interface OwnProvider {
  readonly id: string;
  readonly version: number;
}

const AVAILABLE: ProviderStateView = { state: 'available', until: null };
const UNKNOWN: ProviderStateView = { state: 'unknown', until: null };

/** Reads what workers share about the providers. Everything is unknown without Redis. */
@Injectable()
export class ProviderStates {
  constructor(
    private readonly database: Database,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether the mail of an organization is sent: by its own providers if it has any, else by those of the service. */
  async ofOrganization(organizationId: string): Promise<ProviderStateView> {
    const own = await this.database.query<OwnProvider>(
      'select id, version from organization_providers where organization_id = $1',
      [organizationId],
    );
    const states = own.length > 0 ? await this.of(own) : await this.read([ALL_PAUSED_KEY]);
    const notPaused = states.find(({ until }) => until === null);
    return notPaused ?? states.reduce((first, other) => (other.until! < first.until! ? other : first));
  }

  /** The states of own providers, in the same order. */
  of(providers: readonly OwnProvider[]): Promise<readonly ProviderStateView[]> {
    return this.read(providers.map(({ id, version }) => providerPauseKey(pauseIdOf(id, version))));
  }

  private async read(keys: readonly string[]): Promise<readonly ProviderStateView[]> {
    if (keys.length === 0) return [];
    const pipeline = this.redis.pipeline();
    for (const key of keys) pipeline.get(key).pttl(key);
    const results = await pipeline.exec().catch(() => null);
    if (!results || results.some(([error]) => error !== null)) return keys.map(() => UNKNOWN);
    return keys.map((_, index) => {
      const [cause, remainingMs] = results.slice(2 * index, 2 * index + 2).map(([, value]) => value);
      return this.stateOf(cause as string | null, remainingMs as number);
    });
  }

  private stateOf(cause: string | null, remainingMs: number): ProviderStateView {
    if (cause === null || remainingMs <= 0) return AVAILABLE;
    const state = PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled';
    return { state, until: new Date(this.clock.now() + remainingMs).toISOString() };
  }
}
