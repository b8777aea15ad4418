import { Injectable } from '@nestjs/common';
import { inSeconds } from '../platform/http/too-many-requests-error.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';
import { WebhookTestLimitError } from './webhook-errors.js';

const MINUTE_MS = 60_000;
const TESTS_PER_MINUTE = 10;

/**
 * Prevents the use of tests to flood or scan a host, because the endpoint's pause does not stop tests.
 * While Redis does not respond, every test is allowed.
 */
@Injectable()
export class WebhookTestLimit {
  constructor(private readonly buckets: TokenBuckets) {}

  /** @throws WebhookTestLimitError */
  async count(endpointId: string): Promise<void> {
    const bucket = `{mailbeacon}:rate:webhook-tests:${endpointId}`;
    const token = await this.buckets.take(bucket, TESTS_PER_MINUTE, MINUTE_MS);
    if (!token || token.taken) return;
    throw new WebhookTestLimitError(TESTS_PER_MINUTE, inSeconds(token.nextTokenInMs));
  }
}
