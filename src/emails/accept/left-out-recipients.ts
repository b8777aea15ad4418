import { Inject, Injectable } from '@nestjs/common';
import type { Counter, Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer } from '../../platform/queue/job-producer.js';
import { suppressedRecipientsCounter } from '../../suppressions/suppression-metrics.js';
import { wakeWebhookDeliveries } from '../../webhooks/wake-webhook-deliveries.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';

/** Reports recipients that an accepted email leaves out. The email is already stored, so nothing here may fail. */
@Injectable()
export class LeftOutRecipients {
  private readonly counter: Counter<'at' | 'reason'>;

  constructor(
    private readonly producer: JobProducer,
    @Inject(METRICS) registry: Registry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.counter = suppressedRecipientsCounter(registry);
  }

  async report(suppressed: readonly SuppressedRecipient[], webhookDeliveries: readonly string[]): Promise<void> {
    for (const { reason } of suppressed) this.counter.inc({ at: 'acceptance', reason });
    if (webhookDeliveries.length > 0) await wakeWebhookDeliveries(this.producer, this.logger, webhookDeliveries);
  }
}
