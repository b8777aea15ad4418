import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger.js';
import { JobProducer } from '../queue/job-producer.js';
import { EventAppender } from '../stream/event-appender.js';
import { sentEventId } from '../stream/sent-event.js';
import { DeliveryMetrics } from './delivery-metrics.js';

export interface SentNews {
  readonly emailId: string;
  readonly trackingId: string;
  readonly sentAt: Date;
  readonly deliveries: readonly string[];
}

/**
 * Tells the rest of the house what became of an email. The truth is committed by then: nothing here may fail, and
 * news that is told twice is recognised by its id.
 */
@Injectable()
export class DeliveryAnnouncer {
  constructor(
    private readonly events: EventAppender,
    private readonly producer: JobProducer,
    private readonly metrics: DeliveryMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sent({ emailId, trackingId, sentAt, deliveries }: SentNews): Promise<void> {
    this.logger.info({ emailId }, 'Email sent');
    this.metrics.recordEnd('sent');
    const event = { type: 'sent', id: sentEventId(emailId, sentAt), emailTrackingId: trackingId } as const;
    // The email's row says when it was sent, so an event that is lost (which the appender reports) misleads nobody.
    await this.events.append(event).catch(() => undefined);
    await this.wakeWebhooks(deliveries);
  }

  async failed(emailId: string, deliveries: readonly string[]): Promise<void> {
    this.logger.warn({ emailId }, 'Email failed');
    this.metrics.recordEnd('failed');
    await this.wakeWebhooks(deliveries);
  }

  private async wakeWebhooks(deliveries: readonly string[]): Promise<void> {
    try {
      await this.producer.addAll(
        'deliver-webhook',
        deliveries.map((deliveryId) => ({ payload: { deliveryId }, jobId: `webhook-${deliveryId}` })),
      );
    } catch (error) {
      this.logger.warn({ err: error }, 'Redis did not take the webhook jobs; their rows are safe');
    }
  }
}
