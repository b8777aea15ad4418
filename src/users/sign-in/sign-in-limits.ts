import { Injectable } from '@nestjs/common';
import { TooManyRequestsError } from '../../platform/http/too-many-requests-error.js';
import { TokenBuckets } from '../../platform/redis/token-buckets.js';
import { clientNetwork } from '../../events/feedback/smtp/client-network.js';
import { sha256 } from '../secret-token.js';

interface Limit {
  readonly tries: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;
/** Failures per account from browsers in which its user has never signed in: a thousand guesses a day. */
const PER_ACCOUNT: Limit = { tries: 10, windowMs: 15 * MINUTE_MS };
/** Failures in one browser in which the user has signed in before. Failures elsewhere do not count there. */
const PER_KNOWN_DEVICE: Limit = { tries: 10, windowMs: 15 * MINUTE_MS };
/** Failures per network, where many people may share an address. */
const PER_NETWORK: Limit = { tries: 60, windowMs: 10 * MINUTE_MS };

/** What a try is counted by. */
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
   * Counts a try before it costs anything. Tries that succeed are given back by the function it returns.
   * @throws TooManyRequestsError
   */
  async count({ account, networkAddress, deviceId }: SignInSource): Promise<() => void> {
    const taken = [
      deviceId === undefined
        ? await this.take(`account:${sha256(account).toString('base64url')}`, PER_ACCOUNT)
        : await this.take(`device:${deviceId}`, PER_KNOWN_DEVICE),
    ];
    // A known browser is not held up by its neighbors.
    if (deviceId === undefined) taken.push(await this.take(`network:${clientNetwork(networkAddress)}`, PER_NETWORK));
    return () => taken.forEach((giveBack) => giveBack());
  }

  /**
   * Counts wrong passwords and codes of a signed-in user, apart from those of strangers.
   * @throws TooManyRequestsError, and what `work` throws
   */
  async whileRight<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const giveBack = await this.take(`user:${userId}`, PER_KNOWN_DEVICE);
    const result = await work();
    giveBack();
    return result;
  }

  /** Also counts what is no sign-in but costs as much, such as requests for a link. @throws TooManyRequestsError */
  async take(key: string, { tries, windowMs }: Limit): Promise<() => void> {
    const bucket = `{mailbeacon}:rate:sign-in:${key}`;
    const token = await this.buckets.take(bucket, tries, windowMs);
    if (!token.taken) throw new TooManyRequestsError(token.nextTokenInMs);
    return () => this.buckets.giveBack(bucket, tries, windowMs);
  }
}
