import { Injectable } from '@nestjs/common';
import { LivePublisher } from '../../events/live/live-publisher.js';
import { JobProducer } from '../../platform/queue/job-producer.js';
import type { ClaimedWebhookDelivery } from './claim-deliveries.js';
import { webhookRetryDelayMs } from './retry-schedule.js';
import { WebhookSettlement, type Settled } from './webhook-settlement.js';
import { WebhookMetrics } from './webhook-metrics.js';
import type { RequestResult } from './webhook-requests.js';

/** Retry-After pauses all deliveries of the endpoint, but a single response may not pause it for a whole day. */
const LONGEST_PAUSE_MS = 3_600_000;
/** A delayed job wakes retries within this time. The sweep finds later ones. */
const WAKE_WITHIN_MS = 60_000;

/** Decides the consequences of an attempt's result, and records them. */
@Injectable()
export class WebhookOutcomes {
  constructor(
    private readonly settlement: WebhookSettlement,
    private readonly producer: JobProducer,
    private readonly metrics: WebhookMetrics,
    private readonly live: LivePublisher,
  ) {}

  /** Undefined when the lease was lost: another worker attempts the delivery. */
  async settle(
    delivery: ClaimedWebhookDelivery,
    { kind, attempt, retryAfterMs }: RequestResult,
  ): Promise<Settled | undefined> {
    if (kind === 'delivered')
      return this.counted(kind, attempt.durationMs, this.settlement.delivered(delivery, attempt));
    const gone = kind === 'gone';
    const isLast = gone || delivery.isTest;
    const retryInMs = isLast ? undefined : webhookRetryDelayMs(delivery.retries, retryAfterMs, Math.random());
    const consequence = { retryInMs, pauseMs: Math.min(retryAfterMs, LONGEST_PAUSE_MS), gone };
    const settled = await this.counted(
      kind,
      attempt.durationMs,
      this.settlement.failed(delivery, attempt, consequence),
    );
    const { organizationId, endpointId: webhookId } = delivery;
    if (settled) this.live.report({ type: 'webhook.failed', organizationId, webhookId });
    if (settled && retryInMs !== undefined) await this.wakeLater(delivery.id, settled.attempt, retryInMs);
    return settled;
  }

  postpone(delivery: ClaimedWebhookDelivery, delayMs: number): Promise<void> {
    return this.settlement.postpone(delivery, delayMs);
  }

  private async counted(
    kind: RequestResult['kind'],
    durationMs: number,
    settling: Promise<Settled | undefined>,
  ): Promise<Settled | undefined> {
    const settled = await settling;
    if (settled) this.metrics.record(kind, durationMs, settled.disabled);
    return settled;
  }

  /** A failure loses nothing, because the row stores when the delivery is due. */
  private async wakeLater(deliveryId: string, attempt: number, delayMs: number): Promise<void> {
    if (delayMs > WAKE_WITHIN_MS) return;
    const job = { payload: { deliveryId }, jobId: `webhook-${deliveryId}-${attempt}`, delayMs };
    await this.producer.add('deliver-webhook', job).catch(() => undefined);
  }
}
