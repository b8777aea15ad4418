import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK, type Clock } from '../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { LookupCache } from '../../platform/database/lookup-cache.js';

/** Less than the time after which a new period begins, so that every process knows it by then. */
const CACHE_MS = 5_000;
const MAX_CACHED = 10_000;

/** More than an organization can begin until the first of them is in use. */
const MAX_PERIODS = 100;

type Period = { readonly baseUrl: string; readonly usedFrom: Date; readonly usedUntil: Date | null };

/** Finds the address with which the links of new emails begin. */
@Injectable()
export class TrackingBaseUrls {
  private readonly cache: LookupCache<readonly Period[]>;

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Pick<RunSettings, 'BASE_URL'>,
    @Inject(MONOTONIC_CLOCK) clock: Clock,
  ) {
    this.cache = new LookupCache(clock, CACHE_MS, MAX_CACHED);
  }

  /** @param createdAt time of an email that is just created. For earlier ones, see `TRACKING_BASE_URL` */
  async of(organizationId: string, createdAt: Date): Promise<string> {
    const periods = await this.cache.find(organizationId, () => this.latestPeriods(organizationId));
    const latest = periods.find(({ usedFrom }) => usedFrom <= createdAt);
    const isOver = latest?.usedUntil && latest.usedUntil <= createdAt;
    return latest === undefined || isOver ? this.settings.BASE_URL : latest.baseUrl;
  }

  /** Newest first. */
  private latestPeriods(organizationId: string): Promise<Period[]> {
    return this.database.prepared<Period & Record<string, unknown>>(
      'find-tracking-base-urls',
      `select base_url as "baseUrl", used_from as "usedFrom", used_until as "usedUntil" from tracking_base_urls
        where organization_id = $1 order by used_from desc limit ${MAX_PERIODS}`,
      [organizationId],
    );
  }
}
