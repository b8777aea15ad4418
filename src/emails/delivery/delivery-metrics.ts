import { Inject, Injectable } from '@nestjs/common';
import { Counter, Histogram, type Registry } from 'prom-client';
import { ORGANIZATIONS_LABEL } from '../../platform/config/provider-list.js';
import { METRICS } from '../../platform/health/metrics.js';
import type { SuppressionReason } from '../../events/recipient-event.js';
import { suppressedRecipientsCounter } from '../../suppressions/suppression-metrics.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { DeliveryProviders } from './delivery-providers.js';

/** Every outcome; the code does not compile if one is missing. */
const OUTCOMES = {
  accepted: true,
  refused: true,
  retry: true,
  throttled: true,
  'credential-refused': true,
  ambiguous: true,
} satisfies Record<DeliveryOutcome['kind'], true>;

/** Metrics of deliveries: their outcomes and the time the provider takes. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts: Counter<'provider' | 'outcome'>;
  private readonly finished: Counter<'outcome'>;
  private readonly duration: Histogram;
  private readonly suppressed: Counter<'at' | 'reason'>;

  constructor(
    @Inject(METRICS) registry: Registry,
    private readonly providers: DeliveryProviders,
  ) {
    const registers = [registry];
    this.suppressed = suppressedRecipientsCounter(registry);
    this.attempts = new Counter({
      name: 'mailbeacon_delivery_attempts_total',
      help: 'Delivery attempts by provider and outcome; organizations stands for all providers that organizations have of their own',
      labelNames: ['provider', 'outcome'],
      registers,
    });
    this.finished = new Counter({
      name: 'mailbeacon_emails_finished_total',
      help: 'Emails that reached a final status',
      labelNames: ['outcome'],
      registers,
    });
    this.duration = new Histogram({
      name: 'mailbeacon_delivery_seconds',
      help: 'Time from handing an email to a provider of the service to its outcome',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.startAtZero();
  }

  /** Starts every series at zero: otherwise `increase()` misses the first event. */
  private startAtZero(): void {
    for (const provider of [...this.providers.ids, ORGANIZATIONS_LABEL])
      for (const outcome of Object.keys(OUTCOMES)) this.attempts.inc({ provider, outcome }, 0);
    for (const outcome of ['sent', 'failed']) this.finished.inc({ outcome }, 0);
  }

  /** Measures a call and counts its outcome, once for each email. @param provider name of the provider */
  async observe(provider: string, call: () => Promise<DeliveryOutcome>, emails = 1): Promise<DeliveryOutcome> {
    const stop = this.duration.startTimer();
    const outcome = await call();
    // Organizations can make their own providers as slow as they like.
    if (provider !== ORGANIZATIONS_LABEL) stop();
    this.attempts.inc({ provider, outcome: outcome.kind }, emails);
    return outcome;
  }

  /** Counts a recipient that was left out when its email was claimed. */
  recordSuppressed(reason: SuppressionReason): void {
    this.suppressed.inc({ at: 'claim', reason });
  }

  recordFinal(outcome: 'sent' | 'failed'): void {
    this.finished.inc({ outcome });
  }
}
