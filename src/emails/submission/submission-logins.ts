import { Injectable } from '@nestjs/common';
import { InvalidKeyError, SuspendedError } from '../../organizations/access-errors.js';
import { ApiKeyAuthenticator, type Caller, suspensionOf } from '../../organizations/api-key-authenticator.js';
import { allowsClient, ForbiddenAddressError } from '../../organizations/key-limits.js';
import { MissingScopeError } from '../../organizations/key-scopes.js';
import { PresentedKeys } from '../../organizations/presented-keys.js';
import { clientNetwork } from '../../platform/addresses/client-network.js';
import { RateLimits } from '../../platform/http/rate-limits.js';
import { SendingPausedError } from '../email-errors.js';

/** Checks the API keys that clients send as passwords. */
@Injectable()
export class SubmissionLogins {
  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly presented: PresentedKeys,
    private readonly limits: RateLimits,
  ) {}

  /**
   * @throws InvalidKeyError, TooManyRequestsError, ForbiddenAddressError, MissingScopeError, SuspendedError,
   *   SendingPausedError
   */
  async logIn(key: string, address: string): Promise<Caller> {
    return requireSending(await this.presented.identify(key, clientNetwork(address)), address);
  }

  /**
   * Checks before each message that the key is still valid, and counts a request of its organization.
   * @throws InvalidKeyError, TooManyRequestsError, ForbiddenAddressError, MissingScopeError, SuspendedError,
   *   SendingPausedError
   */
  async beginMessage(key: string, address: string): Promise<Caller> {
    const caller = await this.check(key, address);
    await this.limits.countRequest(caller.organizationId);
    return caller;
  }

  /**
   * Checks that the key is still valid, also once a message has arrived, which can take minutes.
   * @throws InvalidKeyError, ForbiddenAddressError, MissingScopeError, SuspendedError, SendingPausedError
   */
  async check(key: string, address: string): Promise<Caller> {
    const caller = await this.keys.identify(key, false);
    if (!caller) throw new InvalidKeyError();
    return requireSending(caller, address);
  }
}

function requireSending(caller: Caller, address: string): Caller {
  if (!allowsClient(caller, address)) throw new ForbiddenAddressError();
  if (!caller.scopes.includes('send')) throw new MissingScopeError('send', caller.actor.kind);
  const suspended = suspensionOf(caller);
  if (suspended !== null) throw new SuspendedError(suspended);
  if (caller.pauseReason !== null) throw new SendingPausedError(caller.pauseReason);
  return caller;
}
