import { Injectable } from '@nestjs/common';
import { BUDGETS } from '../organizations/budgets/budget.js';
import { inSeconds } from '../platform/http/rate-limit-headers.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';
import { WebhookRateError } from './webhook-errors.js';

export const MAX_WEBHOOKS = BUDGETS.webhooks.most;

const MINUTE_MS = 60_000;
/** Also for replays of a webhook, and for the URLs of an organization. */
export const TESTS_PER_MINUTE = 10;
/** Higher, because a manual retry is a single request and often follows others. */
const RETRIES_PER_MINUTE = 60;

/**
 * Prevents the use of tests, retries, replays and challenges to flood or scan a host, because no pause of the endpoint
 * stops them.
 */
@Injectable()
export class WebhookLimits {
  constructor(private readonly buckets: TokenBuckets) {}

  /** @throws WebhookRateError */
  countTest(endpointId: string): Promise<void> {
    return this.count(`webhook-tests:${endpointId}`, 'A webhook can be tested');
  }

  /** @throws WebhookRateError */
  countRetry(endpointId: string): Promise<void> {
    return this.count(`webhook-retries:${endpointId}`, 'Deliveries of a webhook can be retried', RETRIES_PER_MINUTE);
  }

  /** @throws WebhookRateError */
  countReplay(endpointId: string): Promise<void> {
    return this.count(`webhook-replays:${endpointId}`, 'A webhook can be replayed');
  }

  /** @throws WebhookRateError */
  countChallenge(organizationId: string): Promise<void> {
    return this.count(`webhook-challenges:${organizationId}`, 'An organization can register URLs');
  }

  private async count(bucket: string, what: string, perMinute = TESTS_PER_MINUTE): Promise<void> {
    const token = await this.buckets.take(bucket, perMinute, MINUTE_MS);
    if (token.taken) return;
    throw new WebhookRateError(what, perMinute, inSeconds(token.nextTokenInMs));
  }
}
