import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer } from '../../platform/queue/job-producer.js';
import { announceResult, type EmailResult } from '../../platform/queue/result-channel.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { EventAppender } from '../../events/stream/event-appender.js';
import { sentEventId } from '../../events/sent-event.js';
import { DeliveryMetrics } from './delivery-metrics.js';

/** An email that reached its end. */
export interface FinalStatus {
  readonly emailId: string;
  /** The API process that waits for it, where one does. */
  readonly waitingInstance: string | undefined;
  /** Webhook deliveries that tell about it. */
  readonly deliveries: readonly string[];
}

export interface SentStatus extends FinalStatus {
  readonly trackingId: string;
  readonly sentAt: Date;
  /** Undefined where an earlier run sent it. */
  readonly result: EmailResult | undefined;
}

/**
 * Tells the rest of the house what became of an email. The truth is committed by then: nothing here may fail, and
 * news that is told twice is recognised by its id.
 */
@Injectable()
export class DeliveryNotifier {
  constructor(
    private readonly events: EventAppender,
    private readonly producer: JobProducer,
    private readonly metrics: DeliveryMetrics,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sent({ emailId, trackingId, sentAt, result, waitingInstance, deliveries }: SentStatus): Promise<void> {
    this.logger.info({ emailId }, 'Email sent');
    this.metrics.recordEnd('sent');
    const event = { type: 'sent', id: sentEventId(emailId, sentAt), emailTrackingId: trackingId } as const;
    await Promise.all([
      this.notifyWaitingApi(waitingInstance, emailId, result),
      // The email's row says when it was sent, so an event that is lost (which the appender reports) misleads nobody.
      this.events.append(event).catch(() => undefined),
      this.wakeWebhooks(deliveries),
    ]);
  }

  async failed({ emailId, waitingInstance, deliveries }: FinalStatus, reason: string): Promise<void> {
    this.logger.warn({ emailId }, 'Email failed');
    this.metrics.recordEnd('failed');
    await Promise.all([
      this.notifyWaitingApi(waitingInstance, emailId, { status: 'failed', reason }),
      this.wakeWebhooks(deliveries),
    ]);
  }

  private async notifyWaitingApi(
    waitingInstance: string | undefined,
    emailId: string,
    result: EmailResult | undefined,
  ): Promise<void> {
    if (waitingInstance === undefined) return;
    try {
      await announceResult(this.redis, waitingInstance, emailId, result);
    } catch (error) {
      this.logger.warn({ emailId, err: error }, 'The waiting API could not be told');
    }
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
