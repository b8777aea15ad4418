import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { PROVIDER_NAMES } from '../../providers/provider-names.js';
import { PAUSE_CAUSES, providerPauseKey, type PauseCause } from '../delivery/provider-pause-key.js';

export const PROVIDER_STATES = ['available', ...PAUSE_CAUSES, 'unknown'] as const;

/** Whether workers call the provider. It is the same for all organizations. */
export interface ProviderStateView {
  readonly state: (typeof PROVIDER_STATES)[number];
  /** When workers try again; null unless they wait. */
  readonly until: string | null;
}

const UNKNOWN: ProviderStateView = { state: 'unknown', until: null };

/** Reads what workers share about the provider. */
@Injectable()
export class ProviderStates {
  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /** Unknown without Redis. Reads the pause of every provider: only workers need the setting that names theirs. */
  async read(): Promise<ProviderStateView> {
    const pipeline = this.redis.pipeline();
    for (const key of PROVIDER_NAMES.map(providerPauseKey)) pipeline.get(key).pttl(key);
    const results = await pipeline.exec().catch(() => null);
    if (!results || results.some(([error]) => error !== null)) return UNKNOWN;
    const values = results.map(([, value]) => value);
    for (const [index] of PROVIDER_NAMES.entries()) {
      const [cause, remainingMs] = [values[2 * index] as string | null, values[2 * index + 1] as number];
      if (cause !== null && remainingMs > 0) return this.paused(cause, remainingMs);
    }
    return { state: 'available', until: null };
  }

  private paused(cause: string, remainingMs: number): ProviderStateView {
    const state: PauseCause = PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled';
    return { state, until: new Date(this.clock.now() + remainingMs).toISOString() };
  }
}
