import { Injectable } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { parseUrl } from '../platform/addresses/parse-url.js';
import { GuardedHttp } from '../platform/outbound-http/guarded-http.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { WebhookOwnership } from './webhook-ownership.js';

const MAX_LENGTH = 2_048;

/** Checks which URLs an organization may use for webhooks. */
@Injectable()
export class WebhookTargets {
  constructor(
    private readonly http: GuardedHttp,
    private readonly ownership: WebhookOwnership,
  ) {}

  /**
   * Returns the normalized URL after it has returned a challenge. If no proof is needed, a host that does not resolve
   * yet is allowed, because every attempt checks its addresses again.
   * @throws InvalidFieldError with the reason why the URL is refused, WebhookRateError, DomainError if the caller has
   *   lost its rights meanwhile
   */
  async check({ organizationId, checkAgain }: Caller, text: string): Promise<string> {
    if (text.length > MAX_LENGTH) throw new InvalidFieldError('url', `must have at most ${MAX_LENGTH} characters`);
    const url = parseUrl(text);
    if (!url) throw new InvalidFieldError('url', 'must be an absolute address like https://example.com/webhooks');
    url.hash = '';
    // Percent-encoding makes a character up to nine times as long.
    if (url.href.length > MAX_LENGTH)
      throw new InvalidFieldError('url', `must have at most ${MAX_LENGTH} characters when it is percent-encoded`);
    const refusal = this.http.refusalOf(url);
    if (refusal !== undefined) throw new InvalidFieldError('url', refusal);
    await this.ownership.requireProof(organizationId, url.href);
    await checkAgain?.();
    return url.href;
  }
}
