import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer } from '../../platform/queue/job-producer.js';
import { announceResult, type EmailResult } from '../../platform/queue/result-channel.js';
import { REDIS, type RedisConnection } from '../../platform/redis/connect.js';
import { EventAppender } from '../../events/stream/event-appender.js';
import { LivePublisher } from '../../events/live/live-publisher.js';
import { sentEventId } from '../../events/sent-event.js';
import { wakeWebhookDeliveries } from '../../webhooks/wake-webhook-deliveries.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import { DeliveryMetrics } from './delivery-metrics.js';

/** About an email that reached a final status. */
interface FinalNotification {
  readonly emailId: string;
  /** The API process that waits for the email, if any. */
  readonly waitingInstance: string | undefined;
  /** The webhook deliveries that report it. */
  readonly deliveries: readonly string[];
}

interface FailedNotification extends FinalNotification {
  readonly organizationId: string;
}

interface SentNotification extends FinalNotification {
  readonly trackingId: string;
  readonly sentAt: Date;
  /** Undefined when an earlier run sent the email. */
  readonly result: EmailResult | undefined;
}

/**
 * Notifies the waiting API, the event stream and the webhooks of a final status. The status is already committed: no
 * call here may fail, and receivers detect duplicates by ID.
 */
@Injectable()
export class DeliveryNotifier {
  constructor(
    private readonly events: EventAppender,
    private readonly producer: JobProducer,
    private readonly metrics: DeliveryMetrics,
    private readonly live: LivePublisher,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async sent({ emailId, trackingId, sentAt, result, waitingInstance, deliveries }: SentNotification): Promise<void> {
    this.logger.info({ emailId }, 'Email sent');
    this.metrics.recordFinal('sent');
    const event = { type: 'sent', id: sentEventId(emailId, sentAt), emailTrackingId: trackingId } as const;
    await Promise.all([
      this.notifyWaitingApi(waitingInstance, emailId, result),
      // A lost event (which the appender reports) is harmless: the email's row holds the time of sending.
      this.events.appendInTime(event).catch(() => undefined),
      this.wakeWebhooks(deliveries),
    ]);
  }

  async failed(
    { organizationId, emailId, waitingInstance, deliveries }: FailedNotification,
    reason: string,
  ): Promise<void> {
    this.logger.warn({ emailId }, 'Email failed');
    this.metrics.recordFinal('failed');
    this.live.report({ type: 'email.failed', organizationId, emailId });
    await Promise.all([
      this.notifyWaitingApi(waitingInstance, emailId, { status: 'failed', reason }),
      this.wakeWebhooks(deliveries),
    ]);
  }

  async leftOut(suppressed: readonly SuppressedRecipient[], deliveries: readonly string[]): Promise<void> {
    for (const { reason } of suppressed) this.metrics.recordSuppressed(reason);
    await this.wakeWebhooks(deliveries);
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
      this.logger.warn({ emailId, err: error }, 'Could not notify the waiting API');
    }
  }

  private wakeWebhooks(deliveries: readonly string[]): Promise<void> {
    return wakeWebhookDeliveries(this.producer, this.logger, deliveries);
  }
}
