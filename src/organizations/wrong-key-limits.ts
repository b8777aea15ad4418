import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';
import { TooManyRequestsError } from '../platform/http/too-many-requests-error.js';

const WINDOW_MS = 60_000;
/** Wrong keys from one network address: far more than mistakes, far fewer than guessing takes. */
const WRONG_KEYS_PER_MINUTE = 600;
const MS_PER_WRONG_KEY = WINDOW_MS / WRONG_KEYS_PER_MINUTE;
/** Addresses that have gone beyond the limit; the one that was refused first is forgotten first. */
const MAX_SUSPECTS = 10_000;

interface Suspect {
  /** Until then the address has no token. */
  blockedUntil: number;
  readonly suspectUntil: number;
}

/**
 * Limits wrong keys per network address. An address beyond the limit costs no question to Redis but one per token that
 * it gets back.
 */
@Injectable()
export class WrongKeyLimits {
  private readonly suspects = new Map<string, Suspect>();

  constructor(
    private readonly buckets: TokenBuckets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether the address has sent too many wrong keys within the last minute: most keys that it sends are made up. */
  isSuspect(networkAddress: string): boolean {
    const suspect = this.suspects.get(networkAddress);
    return suspect !== undefined && suspect.suspectUntil > this.clock.now();
  }

  /** Counts a wrong key. @throws TooManyRequestsError */
  async count(networkAddress: string): Promise<void> {
    const suspect = this.suspects.get(networkAddress);
    const now = this.clock.now();
    if (suspect && suspect.blockedUntil > now) throw new TooManyRequestsError(suspect.blockedUntil - now);
    // Requests that arrive while Redis is asked wait for the next token.
    if (suspect) suspect.blockedUntil = now + MS_PER_WRONG_KEY;
    const bucket = `{mailbeacon}:rate:wrong-keys:${networkAddress}`;
    const token = await this.buckets.take(bucket, WRONG_KEYS_PER_MINUTE, WINDOW_MS);
    if (!token || token.taken) return;
    this.suspect(networkAddress, token.nextTokenInMs);
    throw new TooManyRequestsError(token.nextTokenInMs);
  }

  private suspect(networkAddress: string, blockedForMs: number): void {
    const now = this.clock.now();
    this.suspects.delete(networkAddress);
    if (this.suspects.size >= MAX_SUSPECTS) this.suspects.delete(this.suspects.keys().next().value!);
    this.suspects.set(networkAddress, { blockedUntil: now + blockedForMs, suspectUntil: now + WINDOW_MS });
  }
}
