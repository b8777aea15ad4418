import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK, type Clock } from '../platform/clock/clock.js';
import { BoundedMap } from '../platform/memory/bounded-map.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';
import type { RateLimit } from '../platform/http/rate-limit-headers.js';
import { TooManyRequestsError } from '../platform/http/too-many-requests-error.js';

const WINDOW_MS = 60_000;
/** Limit per network of a client: far more than mistakes cause, far fewer than guessing needs. */
const LIMIT: RateLimit = { tokens: 600, windowMs: WINDOW_MS };
const MS_PER_WRONG_KEY = WINDOW_MS / LIMIT.tokens;
/** Maximum number of networks over the limit that are kept. */
const MAX_SUSPECTS = 10_000;

interface Suspect {
  /** Time until which the network has no token. */
  blockedUntil: number;
  readonly suspectUntil: number;
}

/**
 * Limits wrong keys per network of a client, see `clientNetwork`. A network over the limit costs only one Redis command
 * per token that it regains.
 */
@Injectable()
export class WrongKeyLimits {
  private readonly suspects = new BoundedMap<string, Suspect>(MAX_SUSPECTS);

  constructor(
    private readonly buckets: TokenBuckets,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
  ) {}

  /** True when the network sent too many wrong keys within the last minute. Most of its keys are guesses. */
  isSuspect(network: string): boolean {
    const suspect = this.suspects.get(network);
    return suspect !== undefined && suspect.suspectUntil > this.clock.now();
  }

  /** Counts a wrong key. @throws TooManyRequestsError */
  async count(network: string): Promise<void> {
    const suspect = this.suspects.get(network);
    const now = this.clock.now();
    if (suspect && suspect.blockedUntil > now) {
      const nextTokenInMs = suspect.blockedUntil - now;
      throw new TooManyRequestsError(LIMIT, { remaining: 0, nextTokenInMs, fullInMs: WINDOW_MS });
    }
    // Rejects requests that arrive during the Redis command until the next token.
    if (suspect) suspect.blockedUntil = now + MS_PER_WRONG_KEY;
    const bucket = `wrong-keys:${network}`;
    const token = await this.buckets.take(bucket, LIMIT.tokens, LIMIT.windowMs);
    if (token.taken) return;
    this.suspect(network, token.nextTokenInMs);
    throw new TooManyRequestsError(LIMIT, token);
  }

  private suspect(network: string, blockedForMs: number): void {
    const now = this.clock.now();
    this.suspects.set(network, { blockedUntil: now + blockedForMs, suspectUntil: now + WINDOW_MS });
  }
}
