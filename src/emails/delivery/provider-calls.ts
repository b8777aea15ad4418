import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { LoadedEmail } from './load-email.js';
import { PROVIDER, type DeliveryOutcome, type DeliveryProvider, type HandOver } from '../../providers/provider.js';
import type { RenderedForRecipient } from './email-rendering.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { ProviderSlots } from './provider-slots.js';

/** Calls the provider with an overall timeout. */
@Injectable()
export class ProviderCalls {
  readonly timeoutMs: number;

  constructor(
    @Inject(PROVIDER) private readonly provider: DeliveryProvider,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    private readonly metrics: DeliveryMetrics,
    private readonly slots: ProviderSlots,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    this.timeoutMs = settings.DELIVERY_TIMEOUT_MS;
  }

  deliver(email: LoadedEmail, rendered: RenderedForRecipient, handOver: HandOver): Promise<DeliveryOutcome> {
    const attempt = email.attempts + 1;
    const { subject, html, text, unsubscribeUrl } = rendered;
    // Derived from constant values, so that it is the same on every attempt.
    const messageId = `${email.id}@${this.settings.PLATFORM_SENDING_DOMAIN}`;
    const message = {
      ...email.message,
      attempt,
      messageId,
      subject,
      html,
      text,
      ...(unsubscribeUrl && { unsubscribeUrl }),
    };
    const facts = { provider: this.provider.name, attempt };
    return this.tracing.follow({ emailId: email.id, name: 'deliver', kind: 'client', facts }, async (note) => {
      const call = () => this.provider.deliver(message, AbortSignal.timeout(this.timeoutMs), handOver);
      const outcome = await this.slots.observe(() => this.metrics.observe(call));
      note({ outcome: outcome.kind });
      return outcome;
    });
  }
}
