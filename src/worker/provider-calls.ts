import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import type { DeliverableEmail } from '../emails/deliverable-emails.js';
import { DELIVERY_PROVIDER, type DeliveryOutcome, type DeliveryProvider } from '../providers/provider.js';
import type { RenderedEmail } from '../rendering/render-email.js';
import { DeliveryMetrics } from './delivery-metrics.js';

/** Calls the provider under the overall deadline. */
@Injectable()
export class ProviderCalls {
  readonly timeoutMs: number;

  constructor(
    @Inject(DELIVERY_PROVIDER) private readonly provider: DeliveryProvider,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    private readonly metrics: DeliveryMetrics,
  ) {
    this.timeoutMs = settings.DELIVERY_TIMEOUT_MS;
  }

  deliver(email: DeliverableEmail, rendered: RenderedEmail, attempt: number): Promise<DeliveryOutcome> {
    const { html, text } = rendered;
    // Derived from what never changes, so that it is the same on every attempt.
    const messageId = `${email.id}@${this.settings.PLATFORM_SENDING_DOMAIN}`;
    const message = { ...email.message, attempt, messageId, html, text };
    return this.metrics.observe(() => this.provider.deliver(message, AbortSignal.timeout(this.timeoutMs)));
  }
}
