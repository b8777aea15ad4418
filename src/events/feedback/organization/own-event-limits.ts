import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { inSeconds } from '../../../platform/http/rate-limit-headers.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { TokenBuckets } from '../../../platform/redis/token-buckets.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import type { ReportingAccount } from './event-accounts.js';

/** Of an organization: as many as a million recipients an hour cause, each with several events. */
const MAX_EVENTS_PER_MINUTE = 100_000;
const MINUTE_MS = 60_000;
/** More than most events have. A call with more of them counts as more events, because it takes as long to read. */
const BYTES_PER_EVENT = 5_000;
const VALUES_PER_EVENT = 100;
/** No call with more is read. */
const MOST_VALUES = 300_000;

/** Every provider of an organization repeats a call that gets 429, also Amazon SNS, which repeats no other 4xx. */
class TooManyEventsError extends DomainError {
  override readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super(
      'too-many-requests',
      `The organization's providers report more than ${MAX_EVENTS_PER_MINUTE} events a minute: please send them later`,
    );
    this.retryAfterSeconds = inSeconds(waitMs);
  }
}

/**
 * Limits the verified calls of the providers of an organization, which can sign anything itself: each call takes time of
 * the process that all organizations share. Calls that nothing verifies do not count, because strangers make them.
 */
@Injectable()
export class OwnEventLimits {
  constructor(
    private readonly buckets: TokenBuckets,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  /** Before the call is read. @returns how many events it counts as. @throws TooManyEventsError */
  async takeCall(account: ReportingAccount, body: Buffer): Promise<number> {
    const values = countJsonValues(body, MOST_VALUES);
    const count = Math.ceil(Math.max(1, body.length / BYTES_PER_EVENT, values / VALUES_PER_EVENT));
    await this.takeEvents(account, count);
    return count;
  }

  /** Also events that are ignored, because they are read, too. @throws TooManyEventsError */
  async takeEvents(account: ReportingAccount, count: number): Promise<void> {
    if (count <= 0) return;
    const bucket = `{mailbeacon}:rate:provider-events:${account.organizationId}`;
    // All of them take one token together, so the bucket holds fewer of these.
    const token = await this.buckets.take(bucket, MAX_EVENTS_PER_MINUTE / count, MINUTE_MS);
    if (token.taken) return;
    this.metrics.countCall(account, 'limited');
    throw new TooManyEventsError(token.nextTokenInMs);
  }
}
