import type { TakenToken } from '../redis/token-buckets.js';

/** The tokens of a full bucket, and the time in which an empty one fills. */
export interface RateLimit {
  readonly tokens: number;
  readonly windowMs: number;
}

export type TokensLeft = Omit<TakenToken, 'taken'>;

/**
 * The two fields of draft-ietf-httpapi-ratelimit-headers-11, plus the three of its early drafts that many clients read.
 */
export function toRateLimitHeaders(
  { tokens, windowMs }: RateLimit,
  { remaining, nextTokenInMs, fullInMs }: TokensLeft,
): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${tokens};w=${inSeconds(windowMs)}`,
    ratelimit: `"default";r=${remaining};t=${inSeconds(nextTokenInMs)}`,
    'ratelimit-limit': String(tokens),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(inSeconds(fullInMs)),
  };
}

/** Rounds up to whole seconds, at least one, which is the format of the headers. */
export function inSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
