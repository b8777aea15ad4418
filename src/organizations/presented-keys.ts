import { Injectable } from '@nestjs/common';
import { InvalidKeyError } from './access-errors.js';
import { ApiKeyAuthenticator, type Caller } from './api-key-authenticator.js';
import { WrongKeyLimits } from './wrong-key-limits.js';

/** Identifies callers by the keys that they present, and counts wrong keys. */
@Injectable()
export class PresentedKeys {
  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly wrongKeys: WrongKeyLimits,
  ) {}

  /**
   * Checks the key first: a valid key passes even if other clients guess keys from behind the same load balancer.
   * @param network of the client, see `clientNetwork`
   * @throws InvalidKeyError, TooManyRequestsError
   */
  async identify(key: string, network: string): Promise<Caller> {
    const caller = await this.keys.identify(key, this.wrongKeys.isSuspect(network));
    if (caller) return caller;
    await this.wrongKeys.count(network);
    throw new InvalidKeyError();
  }
}
