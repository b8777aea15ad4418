import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { ownProvidersExist } from '../../organizations/providers/own-providers-exist.sql.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { ALL_PAUSED_KEY, allPausedKeyOf, PAUSE_CAUSES, type PauseCause } from '../delivery/provider-pause-key.js';

export const PROVIDER_STATES = ['available', ...PAUSE_CAUSES, 'unknown'] as const;

/** Whether workers call a provider that sends the mail of an organization. */
export interface ProviderStateView {
  readonly state: (typeof PROVIDER_STATES)[number];
  /** When workers try again; null unless they wait. */
  readonly until: string | null;
}

const UNKNOWN: ProviderStateView = { state: 'unknown', until: null };

/** Reads what workers share about the providers: its own if the organization has any, else those of the service. */
@Injectable()
export class ProviderStates {
  constructor(
    private readonly database: Database,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /** Unknown without Redis. */
  async read(organizationId: string): Promise<ProviderStateView> {
    const key = (await this.hasOwn(organizationId)) ? allPausedKeyOf(organizationId) : ALL_PAUSED_KEY;
    const results = await this.redis
      .pipeline()
      .get(key)
      .pttl(key)
      .exec()
      .catch(() => null);
    if (!results || results.some(([error]) => error !== null)) return UNKNOWN;
    const [cause, remainingMs] = results.map(([, value]) => value) as [string | null, number];
    return cause !== null && remainingMs > 0 ? this.paused(cause, remainingMs) : { state: 'available', until: null };
  }

  private async hasOwn(organizationId: string): Promise<boolean> {
    const [row] = await this.database.query<{ exist: boolean }>(`select ${ownProvidersExist('$1')} as exist`, [
      organizationId,
    ]);
    return row!.exist;
  }

  private paused(cause: string, remainingMs: number): ProviderStateView {
    const state: PauseCause = PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled';
    return { state, until: new Date(this.clock.now() + remainingMs).toISOString() };
  }
}
