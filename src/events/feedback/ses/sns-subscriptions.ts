import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { TokenBuckets } from '../../../platform/redis/token-buckets.js';
import type { EventAccount } from '../event-calls.js';
import type { ParsedProviderEvent } from '../provider-event-fields.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { SNS_FETCH, type SnsFetch } from './sns-fetch.js';
import { snsUrl, type SnsMessage } from './sns-message.js';

/** Of an organization, which can repeat a message that SNS signed for its topic. */
const CONFIRMATIONS_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

class NotConfirmedError extends DomainError {
  override readonly retryAfterSeconds = 30;

  constructor() {
    super('unavailable', 'The subscription could not be confirmed: please send the message again');
  }
}

/** Responds to the verified messages with which SNS asks about a subscription of a listed topic. */
@Injectable()
export class SnsSubscriptions {
  constructor(
    @Inject(SNS_FETCH) private readonly fetch: SnsFetch,
    private readonly buckets: TokenBuckets,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  /** @returns what to count. @throws NotConfirmedError */
  async handle(account: EventAccount, { type, subscribeUrl }: SnsMessage): Promise<ParsedProviderEvent> {
    // The address of the other type would subscribe again.
    if (type === 'SubscriptionConfirmation' && !(await this.confirm(account, subscribeUrl))) {
      this.metrics.countEvent(account, type, 'not-confirmed');
      this.metrics.countCall(account, 'lost');
      throw new NotConfirmedError();
    }
    return { type, outcome: type === 'SubscriptionConfirmation' ? 'confirmed' : 'noted' };
  }

  private async confirm(account: EventAccount, address = ''): Promise<boolean> {
    const url = snsUrl(address);
    if (!url || !(await this.mayConfirm(account))) return false;
    try {
      await this.fetch(url);
      return true;
    } catch {
      return false;
    }
  }

  private async mayConfirm({ organizationId }: EventAccount): Promise<boolean> {
    if (organizationId === undefined) return true;
    const bucket = `sns-subscriptions:${organizationId}`;
    return (await this.buckets.take(bucket, CONFIRMATIONS_PER_MINUTE, MINUTE_MS)).taken;
  }
}
