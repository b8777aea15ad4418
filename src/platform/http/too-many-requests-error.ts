import { DomainError } from '../errors/domain-error.js';
import { inSeconds, toRateLimitHeaders, type RateLimit, type TokensLeft } from './rate-limit-headers.js';

export class TooManyRequestsError extends DomainError {
  override readonly retryAfterSeconds: number;
  /** Headers of the response, by which clients pace themselves. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(limit: RateLimit, left: TokensLeft) {
    super('too-many-requests', 'Too many requests: please slow down');
    this.retryAfterSeconds = inSeconds(left.nextTokenInMs);
    this.headers = toRateLimitHeaders(limit, left);
  }
}
