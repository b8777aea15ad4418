import { Injectable } from '@nestjs/common';
import { inSeconds } from '../platform/http/too-many-requests-error.js';
import { TokenBuckets } from '../platform/redis/token-buckets.js';
import { WebhookTestLimitError } from './webhook-errors.js';

const MINUTE_MS = 60_000;
const TESTS_PER_MINUTE = 10;

/**
 * Keeps tests, which no circuit breaker holds back, from being used to flood or to scan a host.
 * While Redis does not answer, everybody passes.
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
