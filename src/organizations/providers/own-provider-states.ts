import { Inject, Injectable } from '@nestjs/common';
import { PAUSE_CAUSES, providerPauseKey } from '../../emails/delivery/provider-pause-key.js';
import type { Clock } from '../../platform/clock/clock.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';

export const OWN_PROVIDER_STATES = ['available', ...PAUSE_CAUSES, 'unknown'] as const;

/** Whether workers call a provider of an organization. */
export interface OwnProviderState {
  readonly state: (typeof OWN_PROVIDER_STATES)[number];
  /** When workers try again; null unless they wait. */
  readonly until: string | null;
}

const UNKNOWN: OwnProviderState = { state: 'unknown', until: null };

/** Reads what workers share about providers of organizations. */
@Injectable()
export class OwnProviderStates {
  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /** The states in the same order; unknown without Redis. A change of the provider ends its pause. */
  async read(providers: readonly { readonly id: string; readonly version: number }[]): Promise<OwnProviderState[]> {
    if (providers.length === 0) return [];
    const pipeline = this.redis.pipeline();
    for (const { id, version } of providers) {
      const key = providerPauseKey(`${id}.${version}`);
      pipeline.get(key).pttl(key);
    }
    const results = await pipeline.exec().catch(() => null);
    if (!results || results.some(([error]) => error !== null)) return providers.map(() => UNKNOWN);
    return providers.map((_, index) => {
      const [cause, remainingMs] = results.slice(2 * index, 2 * index + 2).map(([, value]) => value);
      return this.stateOf(cause as string | null, remainingMs as number);
    });
  }

  private stateOf(cause: string | null, remainingMs: number): OwnProviderState {
    if (cause === null || remainingMs <= 0) return { state: 'available', until: null };
    const state = PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled';
    return { state, until: new Date(this.clock.now() + remainingMs).toISOString() };
  }
}
