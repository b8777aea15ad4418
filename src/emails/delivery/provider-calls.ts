import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { LoadedEmail } from './load-email.js';
import {
  type BatchHandOver,
  type BatchMessage,
  type BatchRecipient,
  type DeliveryOutcome,
  type HandOver,
  MESSAGE_ID_HEADER,
  type OutgoingEmail,
} from '../../providers/provider.js';
import type { RenderedForRecipient, RenderedBatch } from './email-rendering.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { DeliveryProviders, type ProviderInUse } from './delivery-providers.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { ProviderSlots } from './concurrency/provider-slots.js';

/** Claims the email for a call of this provider, see `HandOver`. */
export type HandOverTo = (providerId: string) => Promise<boolean>;

/** Calls providers with an overall timeout. */
@Injectable()
export class ProviderCalls {
  readonly timeoutMs: number;

  constructor(
    private readonly providers: DeliveryProviders,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    private readonly metrics: DeliveryMetrics,
    private readonly slots: ProviderSlots,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    this.timeoutMs = settings.DELIVERY_TIMEOUT_MS;
  }

  deliver(email: LoadedEmail, rendered: RenderedForRecipient, handOver: HandOverTo): Promise<DeliveryOutcome> {
    const message = this.messageOf(email, rendered);
    const signal = AbortSignal.timeout(this.timeoutMs);
    const call = async (provider: ProviderInUse) => {
      let isDenied = false;
      const ask = async (): Promise<boolean> => {
        const isAllowed = await handOver(provider.id);
        isDenied = !isAllowed;
        return isAllowed;
      };
      return { outcome: await this.call(provider, message, signal, ask), stays: isDenied };
    };
    return this.providers.deliver(email, call, signal);
  }

  /** The provider that takes these emails in one call; undefined if each needs a separate call. */
  providerOfBatch(emailIds: readonly string[]): Promise<ProviderInUse | undefined> {
    return this.providers.forBatch(emailIds[0]!);
  }

  /** Leaves out emails that must be sent alone. */
  fitting({ provider: { batch } }: ProviderInUse, rendered: RenderedBatch): RenderedBatch {
    const recipients = rendered.recipients.filter((own) => {
      return batch?.takes(this.batchRecipient(own), batchMessage(rendered, own.email));
    });
    return { ...rendered, recipients: recipients.slice(0, batch?.maxRecipients) };
  }

  /** @param rendered at least one email, only emails that can share a call */
  async deliverBatch(
    provider: ProviderInUse,
    rendered: RenderedBatch,
    handOver: BatchHandOver,
  ): Promise<DeliveryOutcome> {
    const {
      id,
      provider: { batch },
    } = provider;
    const { recipients } = rendered;
    const message = batchMessage(rendered, recipients[0]!.email);
    const emails = recipients.map((own) => this.batchRecipient(own));
    const call = () => batch!.deliver(message, emails, AbortSignal.timeout(this.timeoutMs), handOver);
    const outcome = this.slots.observe(() => this.metrics.observe(id, call, emails.length));
    if (this.tracing.on) {
      const spans = emails.map(({ emailId, attempt }) => {
        const facts = { provider: id, attempt };
        return this.tracing.follow({ emailId, name: 'deliver', kind: 'client', facts }, async (addFacts) => {
          addFacts({ outcome: (await outcome).kind });
        });
      });
      await Promise.all(spans);
    }
    await this.providers.note(provider, await outcome);
    return outcome;
  }

  /** True if the emails of a call that ended like this may go to another provider at once. */
  canMove(provider: ProviderInUse, outcome: DeliveryOutcome): Promise<boolean> {
    return this.providers.canMove(provider, outcome);
  }

  private call(
    { id, provider }: ProviderInUse,
    message: OutgoingEmail,
    signal: AbortSignal,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    const { emailId, attempt } = message;
    const facts = { provider: id, attempt };
    return this.tracing.follow({ emailId, name: 'deliver', kind: 'client', facts }, async (addFacts) => {
      const call = () => provider.deliver(message, signal, handOver);
      const outcome = await this.slots.observe(() => this.metrics.observe(id, call));
      addFacts({ outcome: outcome.kind });
      return outcome;
    });
  }

  private messageOf(email: LoadedEmail, rendered: RenderedForRecipient): OutgoingEmail {
    const { subject, html, text, pieces, unsubscribeUrl } = rendered;
    return {
      ...email.message,
      attempt: email.attempts + 1,
      messageId: this.messageIdOf(email),
      ...{ subject, html, text },
      ...(pieces && { pieces }),
      ...(unsubscribeUrl && { unsubscribeUrl }),
    };
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
