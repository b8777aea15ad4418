import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { TokenBuckets } from '../redis/token-buckets.js';
import { toRateLimitHeaders, type RateLimit } from './rate-limit-headers.js';
import { TooManyRequestsError } from './too-many-requests-error.js';

const WINDOW_MS = 60_000;

/** Limits the requests per organization. While Redis does not respond, each process limits on its own. */
@Injectable()
export class RateLimits {
  constructor(
    private readonly buckets: TokenBuckets,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counts a request of an organization, across all of its API keys.
   * @param show takes the rate limit headers of the response
   * @throws TooManyRequestsError
   */
  async countRequest(organizationId: string, show?: (headers: Record<string, string>) => void): Promise<void> {
    const limit: RateLimit = { tokens: this.settings.RATE_LIMIT_PER_MINUTE, windowMs: WINDOW_MS };
    if (limit.tokens === 0) return;
    const bucket = `organization:${organizationId}`;
    const token = await this.buckets.take(bucket, limit.tokens, limit.windowMs);
    show?.(toRateLimitHeaders(limit, token));
    if (!token.taken) throw new TooManyRequestsError(limit, token);
  }
}
