import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { TokenBuckets, type TakenToken } from '../redis/token-buckets.js';
import { inSeconds, TooManyRequestsError } from './too-many-requests-error.js';

const WINDOW_SECONDS = 60;

/**
 * Keeps a client from using up what all share. A limit protects; it must not be what takes the API down:
 * while Redis does not answer, everybody passes.
 */
@Injectable()
export class RateLimits {
  constructor(
    private readonly buckets: TokenBuckets,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counts a request of an organization, whichever of its keys it has, and tells the client where it stands.
   * @throws TooManyRequestsError
   */
  async countRequest(organizationId: string, reply: FastifyReply): Promise<void> {
    const limit = this.settings.RATE_LIMIT_PER_MINUTE;
    if (limit === 0) return;
    const bucket = `{mailbeacon}:rate:organization:${organizationId}`;
    const token = await this.buckets.take(bucket, limit, WINDOW_SECONDS * 1000);
    if (!token) return;
    void reply.headers(rateLimitHeaders(limit, token));
    if (!token.taken) throw new TooManyRequestsError(token.nextTokenInMs);
  }
}

/** The two fields of draft-ietf-httpapi-ratelimit-headers-11, and the three of its early versions that many clients read. */
function rateLimitHeaders(limit: number, { remaining, nextTokenInMs, fullInMs }: TakenToken): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${limit};w=${WINDOW_SECONDS}`,
    ratelimit: `"default";r=${remaining};t=${inSeconds(nextTokenInMs)}`,
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(inSeconds(fullInMs)),
  };
}
