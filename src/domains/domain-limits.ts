import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { inSeconds } from '../platform/http/rate-limit-headers.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/**
 * Low, because a verification sends up to six queries to name servers of the client's choice and calls the provider.
 */
const VERIFICATIONS_PER_DOMAIN_AND_MINUTE = 6;
const VERIFICATIONS_PER_ORGANIZATION_AND_MINUTE = 60;

export class DomainRateLimitError extends DomainError {
  constructor(
    sentence: string,
    override readonly retryAfterSeconds: number,
  ) {
    super('too-many-requests', `${sentence}: try again in ${retryAfterSeconds} seconds`);
  }
}

/**
 * Limits how much an organization uses of the shared resources: CPU for keys, the DNS resolver, and the provider's API.
 * While Redis does not respond, each process limits on its own.
 */
@Injectable()
export class DomainLimits {
  constructor(
    private readonly buckets: TokenBuckets,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws DomainRateLimitError */
  async countCreation(organizationId: string): Promise<void> {
    const limit = this.settings.DOMAIN_CREATIONS_PER_HOUR;
    if (limit === 0) return;
    const sentence = `An organization can add ${limit} domains an hour`;
    await this.take(`domain-creations:${organizationId}`, limit, HOUR_MS, sentence);
  }

  /** @throws DomainRateLimitError */
  async countVerification(organizationId: string, domainId: string): Promise<void> {
    const perDomain = VERIFICATIONS_PER_DOMAIN_AND_MINUTE;
    const bucket = `domain-verifications:${organizationId}`;
    await this.take(
      `${bucket}:${domainId}`,
      perDomain,
      MINUTE_MS,
      `A domain can be verified ${perDomain} times a minute`,
    );
    const perOrganization = VERIFICATIONS_PER_ORGANIZATION_AND_MINUTE;
    const sentence = `An organization can verify ${perOrganization} times a minute`;
    await this.take(bucket, perOrganization, MINUTE_MS, sentence);
  }

  private async take(bucket: string, limit: number, windowMs: number, sentence: string): Promise<void> {
    const token = await this.buckets.take(bucket, limit, windowMs);
    if (token.taken) return;
    throw new DomainRateLimitError(sentence, inSeconds(token.nextTokenInMs));
  }
}
