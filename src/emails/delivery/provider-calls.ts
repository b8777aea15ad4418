import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { LoadedEmail } from './load-email.js';
import {
  type BatchHandOver,
  type BatchMessage,
  type BatchRecipient,
  type DeliveryOutcome,
  type DeliveryProvider,
  type HandOver,
  MESSAGE_ID_HEADER,
  type OutgoingEmail,
  PROVIDER,
} from '../../providers/provider.js';
import type { RenderedForRecipient, RenderedBatch } from './email-rendering.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { ProviderSlots } from './concurrency/provider-slots.js';

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
    const { subject, html, text, pieces, unsubscribeUrl } = rendered;
    const messageId = this.messageIdOf(email);
    const message = {
      ...email.message,
      attempt,
      messageId,
      subject,
      html,
      text,
      ...(pieces && { pieces }),
      ...(unsubscribeUrl && { unsubscribeUrl }),
    };
    const facts = { provider: this.provider.name, attempt };
    return this.tracing.follow({ emailId: email.id, name: 'deliver', kind: 'client', facts }, async (addFacts) => {
      const call = () => this.provider.deliver(message, AbortSignal.timeout(this.timeoutMs), handOver);
      const outcome = await this.slots.observe(() => this.metrics.observe(call));
      addFacts({ outcome: outcome.kind });
      return outcome;
    });
  }

  /** False if the provider takes only one email per call. */
  get takesBatches(): boolean {
    return this.provider.batch !== undefined;
  }

  /** Leaves out emails that must be sent alone. */
  fitting(rendered: RenderedBatch): RenderedBatch {
    const { batch } = this.provider;
    const recipients = rendered.recipients.filter((own) => {
      return batch?.takes(this.batchRecipient(own), batchMessage(rendered, own.email));
    });
    return { ...rendered, recipients: recipients.slice(0, batch?.maxRecipients) };
  }

  /** @param rendered at least one email, only emails that can share a call */
  deliverBatch(rendered: RenderedBatch, handOver: BatchHandOver): Promise<DeliveryOutcome> {
    const { batch, name } = this.provider;
    const { recipients } = rendered;
    const message = batchMessage(rendered, recipients[0]!.email);
    const emails = recipients.map((own) => this.batchRecipient(own));
    const call = () => batch!.deliver(message, emails, AbortSignal.timeout(this.timeoutMs), handOver);
    const outcome = this.slots.observe(() => this.metrics.observe(call, emails.length));
    if (!this.tracing.on) return outcome;
    const spans = emails.map(({ emailId, attempt }) => {
      const facts = { provider: name, attempt };
      return this.tracing.follow({ emailId, name: 'deliver', kind: 'client', facts }, async (addFacts) => {
        addFacts({ outcome: (await outcome).kind });
      });
    });
    return Promise.all(spans).then(() => outcome);
  }

  private batchRecipient({
    email,
    subject,
    values,
    unsubscribeUrl,
  }: RenderedBatch['recipients'][number]): BatchRecipient {
    const [to] = email.message.to;
    const attempt = email.attempts + 1;
    return { emailId: email.id, attempt, messageId: this.messageIdOf(email), to: to!, subject, values, unsubscribeUrl };
  }

  /** The one of its sender, or one derived from constant values, so that it is the same on every attempt. */
  private messageIdOf({ id, message: { headers } }: LoadedEmail): string {
    return messageIdIn(headers) ?? `${id}@${this.settings.PLATFORM_SENDING_DOMAIN}`;
  }
}

function messageIdIn(headers: OutgoingEmail['headers']): string | undefined {
  return headers?.[MESSAGE_ID_HEADER]?.slice(1, -1);
}

function batchMessage({ html, text, tags }: RenderedBatch, { message }: LoadedEmail): BatchMessage {
  const { organizationId, from, replyTo } = message;
  return { organizationId, from, ...(replyTo && { replyTo }), html, text, tags };
}
