import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { TokenBuckets, type TakenToken } from '../redis/token-buckets.js';
import { inSeconds, TooManyRequestsError } from './too-many-requests-error.js';

const WINDOW_SECONDS = 60;

/** Limits the requests per organization. While Redis does not respond, each process limits on its own. */
@Injectable()
export class RateLimits {
  constructor(
    private readonly buckets: TokenBuckets,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counts a request of an organization, across all of its API keys, and sets the rate limit headers.
   * @throws TooManyRequestsError
   */
  async countRequest(organizationId: string, reply: FastifyReply): Promise<void> {
    const limit = this.settings.RATE_LIMIT_PER_MINUTE;
    if (limit === 0) return;
    const bucket = `{mailbeacon}:rate:organization:${organizationId}`;
    const token = await this.buckets.take(bucket, limit, WINDOW_SECONDS * 1000);
    void reply.headers(rateLimitHeaders(limit, token));
    if (!token.taken) throw new TooManyRequestsError(token.nextTokenInMs);
  }
}

/**
 * The two fields of draft-ietf-httpapi-ratelimit-headers-11, plus the three of its early drafts that many clients read.
 */
function rateLimitHeaders(limit: number, { remaining, nextTokenInMs, fullInMs }: TakenToken): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${limit};w=${WINDOW_SECONDS}`,
    ratelimit: `"default";r=${remaining};t=${inSeconds(nextTokenInMs)}`,
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(inSeconds(fullInMs)),
  };
}
