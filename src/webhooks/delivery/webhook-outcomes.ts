import { Injectable } from '@nestjs/common';
import { JobProducer } from '../../platform/queue/job-producer.js';
import type { ClaimedWebhookDelivery } from './claim-deliveries.js';
import { webhookRetryDelayMs } from './retry-schedule.js';
import { WebhookSettlement, type Settled } from './webhook-settlement.js';
import { WebhookMetrics } from './webhook-metrics.js';
import type { RequestResult } from './webhook-requests.js';

/** A receiver that asks for time gets it for all its deliveries, though not a whole day for the word of one. */
const LONGEST_PAUSE_MS = 3_600_000;
/** Later retries are found by the sweep in time; sooner ones are woken to the second. */
const WAKE_WITHIN_MS = 60_000;

/** Turns what a receiver said into what follows. */
@Injectable()
export class WebhookOutcomes {
  constructor(
    private readonly settlement: WebhookSettlement,
    private readonly producer: JobProducer,
    private readonly metrics: WebhookMetrics,
  ) {}

  /** Undefined when the lease was lost: somebody else attempts the delivery. */
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

  /** Nothing is lost when this fails: the row says when it is due. */
  private async wakeLater(deliveryId: string, attempt: number, delayMs: number): Promise<void> {
    if (delayMs > WAKE_WITHIN_MS) return;
    const job = { payload: { deliveryId }, jobId: `webhook-${deliveryId}-${attempt}`, delayMs };
    await this.producer.add('deliver-webhook', job).catch(() => undefined);
  }
}
