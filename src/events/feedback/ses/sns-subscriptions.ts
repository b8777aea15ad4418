import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { SNS_FETCH, type SnsFetch } from './sns-fetch.js';
import { snsUrl, type SnsMessage } from './sns-message.js';

class NotConfirmedError extends DomainError {
  override readonly retryAfterSeconds = 30;

  constructor() {
    super('unavailable', 'The subscription could not be confirmed: please send the message again');
  }
}

/** Answers the verified messages with which SNS asks about a subscription of a listed topic. */
@Injectable()
export class SnsSubscriptions {
  constructor(
    @Inject(SNS_FETCH) private readonly fetch: SnsFetch,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  /** @throws NotConfirmedError */
  async handle({ type, subscribeUrl }: SnsMessage): Promise<void> {
    // The address of the other type would subscribe again.
    if (type === 'SubscriptionConfirmation' && !(await this.confirm(subscribeUrl))) {
      this.metrics.countEvent('ses', type, 'not-confirmed');
      this.metrics.countCall('ses', 'lost');
      throw new NotConfirmedError();
    }
    this.metrics.countEvent('ses', type, type === 'SubscriptionConfirmation' ? 'confirmed' : 'noted');
    this.metrics.countCall('ses', 'stored');
  }

  private async confirm(address = ''): Promise<boolean> {
    const url = snsUrl(address);
    if (!url) return false;
    try {
      await this.fetch(url);
      return true;
    } catch {
      return false;
    }
  }
}
