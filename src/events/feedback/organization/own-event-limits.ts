import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { inSeconds } from '../../../platform/http/rate-limit-headers.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { BoundedMap } from '../../../platform/memory/bounded-map.js';
import { TokenBuckets } from '../../../platform/redis/token-buckets.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import type { ReportingAccount } from './event-accounts.js';

/** Of an organization: as many as a million recipients an hour cause, each with several events. */
const MAX_EVENTS_PER_MINUTE = 100_000;
const MINUTE_MS = 60_000;
/** A call with one event takes as long as dozens of events of a large call. */
const EVENTS_PER_CALL = 5;
/** More than most events have. A call with more of them counts as more events, because it takes as long to read. */
const BYTES_PER_EVENT = 5_000;
const VALUES_PER_EVENT = 100;
/** No call with more is read. */
const MOST_VALUES = 300_000;
/** Maximum number of organizations over the limit that are kept. */
const MAX_REFUSED = 10_000;

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

  get retryAfterMs(): number {
    return this.retryAfterSeconds * 1_000;
  }
}

/**
 * Limits the verified calls of the providers of an organization, which can sign anything itself: each call takes time
 * of the process that all organizations share. Calls that nothing verifies do not count, because strangers make them.
 * Once a call was refused, others are refused by their headers until its `Retry-After`: reading and verifying them
 * would take as long as before.
 */
@Injectable()
export class OwnEventLimits {
  /** When calls of an organization are read again, by its ID. */
  private readonly refusedUntil = new BoundedMap<string, number>(MAX_REFUSED);

  constructor(
    private readonly buckets: TokenBuckets,
    private readonly metrics: ProviderEventMetrics,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
  ) {}

  /** Before the body is read. @throws TooManyEventsError */
  admit(account: ReportingAccount): void {
    const waitMs = (this.refusedUntil.get(account.organizationId) ?? 0) - this.clock.now();
    if (waitMs > 0) this.refuse(account, new TooManyEventsError(waitMs));
    this.refusedUntil.delete(account.organizationId);
  }

  /** Before the call is read. @returns how many events it counts as. @throws TooManyEventsError */
  async takeCall(account: ReportingAccount, body: Buffer): Promise<number> {
    const values = countJsonValues(body, MOST_VALUES);
    const count = Math.ceil(Math.max(EVENTS_PER_CALL, body.length / BYTES_PER_EVENT, values / VALUES_PER_EVENT));
    await this.takeEvents(account, count);
    return count;
  }

  /** Also events that are ignored, because they are read, too. @throws TooManyEventsError */
  async takeEvents(account: ReportingAccount, count: number): Promise<void> {
    if (count <= 0) return;
    const bucket = `provider-events:${account.organizationId}`;
    // All of them take one token together, so the bucket holds fewer of these.
    const token = await this.buckets.take(bucket, MAX_EVENTS_PER_MINUTE / count, MINUTE_MS);
    if (token.taken) return;
    const error = new TooManyEventsError(token.nextTokenInMs);
    this.refusedUntil.set(account.organizationId, this.clock.now() + error.retryAfterMs);
    this.refuse(account, error);
  }

  private refuse(account: ReportingAccount, error: TooManyEventsError): never {
    this.metrics.countCall(account, 'limited');
    throw error;
  }
}
