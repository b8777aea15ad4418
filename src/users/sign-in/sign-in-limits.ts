import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/encryption/secret-digest.js';
import type { RateLimit } from '../../platform/http/rate-limit-headers.js';
import { TooManyRequestsError } from '../../platform/http/too-many-requests-error.js';
import { TokenBuckets } from '../../platform/redis/token-buckets.js';
import { clientNetwork } from '../../platform/addresses/client-network.js';
import { SignInRefusedError, WrongSecretError } from './sign-in-errors.js';

const MINUTE_MS = 60_000;
/** Failures per account from browsers in which its user has never signed in: a thousand guesses a day. */
const PER_ACCOUNT: RateLimit = { tokens: 10, windowMs: 15 * MINUTE_MS };
/** Failures in one browser in which the user has signed in before. Failures elsewhere do not count there. */
const PER_KNOWN_DEVICE: RateLimit = { tokens: 10, windowMs: 15 * MINUTE_MS };
/** Failures per network, where many people may share an address. */
const PER_NETWORK: RateLimit = { tokens: 60, windowMs: 10 * MINUTE_MS };

/** The keys by which an attempt is counted. */
export interface SignInSource {
  /** Email address, or ID of the user. */
  readonly account: string;
  readonly networkAddress: string;
  /** ID of a browser in which this user has signed in before. */
  readonly deviceId?: string;
}

/** Limits failed sign-ins. */
@Injectable()
export class SignInLimits {
  constructor(private readonly buckets: TokenBuckets) {}

  /**
   * Counts an attempt before it costs anything. The returned function uncounts a successful attempt.
   * @throws TooManyRequestsError
   */
  async count({ account, networkAddress, deviceId }: SignInSource): Promise<() => void> {
    // A known browser is not limited by others on its network.
    if (deviceId !== undefined) return this.take(`device:${deviceId}`, PER_KNOWN_DEVICE);
    // The network first: one that is blocked must not use up the attempts of an account.
    const uncountNetwork = await this.take(`network:${clientNetwork(networkAddress)}`, PER_NETWORK);
    try {
      const uncountAccount = await this.take(`account:${sha256(account).toString('base64url')}`, PER_ACCOUNT);
      return () => {
        uncountAccount();
        uncountNetwork();
      };
    } catch (error) {
      uncountNetwork();
      throw error;
    }
  }

  /**
   * Counts wrong passwords and codes of a signed-in user, separately from those of strangers.
   * @throws TooManyRequestsError, and what `work` throws
   */
  async whileRight<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    return countOnly(WrongSecretError, await this.take(`user:${userId}`, PER_KNOWN_DEVICE), work);
  }

  /**
   * Counts wrong codes of a user who has a link, for all links together: each sign-in at the OpenID provider gives a
   * new one. Separate from passwords, with which strangers could use up the attempts.
   * @throws TooManyRequestsError, and what `work` throws
   */
  async whileCodeIsRight<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    return countOnly(SignInRefusedError, await this.take(`code:${userId}`, PER_ACCOUNT), work);
  }

  /**
   * Also counts requests that are not sign-ins but cost as much, such as requests for a link.
   * @throws TooManyRequestsError
   */
  async take(key: string, limit: RateLimit): Promise<() => void> {
    const bucket = `sign-in:${key}`;
    const token = await this.buckets.take(bucket, limit.tokens, limit.windowMs);
    if (!token.taken) throw new TooManyRequestsError(limit, token);
    return () => this.buckets.giveBack(bucket, limit.tokens, limit.windowMs);
  }
}

/**
 * Runs work that is counted as an attempt, and uncounts it unless it fails with such an error.
 * @throws what `work` throws
 */
export async function countOnly<Result>(
  failure: abstract new (...parts: never[]) => Error,
  uncount: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    uncount();
    return result;
  } catch (error) {
    if (!(error instanceof failure)) uncount();
    throw error;
  }
}
