import { Inject, Injectable } from '@nestjs/common';
import { Counter, Histogram, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge } from '../../platform/health/scraped-gauge.js';
import { WebhookBacklog } from './webhook-backlog.js';

/** Metrics for operators: outcomes of attempts, response times of receivers, and overdue deliveries. */
@Injectable()
export class WebhookMetrics {
  private readonly attempts: Counter<'outcome'>;
  private readonly duration: Histogram;
  private readonly disabled: Counter<'reason'>;

  constructor(@Inject(METRICS) registry: Registry, backlog: WebhookBacklog) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'mailbeacon_webhook_attempts_total',
      help: 'Webhook attempts by outcome; refused means that the name has no address, or a forbidden one',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['delivered', 'failed', 'refused', 'gone']) this.attempts.inc({ outcome }, 0);
    this.duration = new Histogram({
      name: 'mailbeacon_webhook_seconds',
      help: 'Time from the beginning of a webhook attempt to the end of the response',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    });
    this.disabled = new Counter({
      name: 'mailbeacon_webhooks_disabled_total',
      help: 'Webhooks disabled because their receiver responded with 410 (gone) or failed for days (failing)',
      labelNames: ['reason'],
      registers,
    });
    registerScrapedGauge(
      registry,
      {
        name: 'mailbeacon_webhook_overdue_seconds',
        help: 'Seconds since the oldest webhook delivery that may be attempted now became due',
      },
      async () => [{ value: await backlog.overdueSeconds() }],
    );
  }

  record(outcome: string, durationMs: number, disabled: string | null): void {
    this.attempts.inc({ outcome });
    this.duration.observe(durationMs / 1000);
    if (disabled !== null) this.disabled.inc({ reason: disabled });
  }
}
