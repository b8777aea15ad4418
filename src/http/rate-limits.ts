import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DomainError } from '../errors/domain-error.js';
import { TokenBuckets, type TakenToken } from '../redis/token-buckets.js';

const WINDOW_SECONDS = 60;
/** Wrong keys from one network address: far more than mistakes, far fewer than guessing takes. */
const WRONG_KEYS_PER_MINUTE = 600;

export class TooManyRequestsError extends DomainError {
  constructor(override readonly retryAfterSeconds: number) {
    super('too-many-requests', 'Too many requests: please slow down');
  }
}

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

  /** Counts a request of a key and tells the client where it stands. @throws TooManyRequestsError */
  async countRequest(keyId: string, reply: FastifyReply): Promise<void> {
    const limit = this.settings.RATE_LIMIT_PER_MINUTE;
    if (limit === 0) return;
    const token = await this.take(`key:${keyId}`, limit);
    if (!token) return;
    void reply.headers(rateLimitHeaders(limit, token));
    if (!token.taken) throw tooMany(token);
  }

  /** Counts a request whose key was refused. @throws TooManyRequestsError */
  async countWrongKey(networkAddress: string): Promise<void> {
    const token = await this.take(`wrong-keys:${networkAddress}`, WRONG_KEYS_PER_MINUTE);
    if (token && !token.taken) throw tooMany(token);
  }

  private take(bucket: string, limit: number): Promise<TakenToken | undefined> {
    return this.buckets.take(`mailbeacon:rate:${bucket}`, limit, WINDOW_SECONDS * 1000);
  }
}

function tooMany({ nextTokenInMs }: TakenToken): TooManyRequestsError {
  return new TooManyRequestsError(inSeconds(nextTokenInMs));
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

function inSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
