import { Inject, Injectable } from '@nestjs/common';
import { abortAfter } from '../../platform/clock/with-deadline.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { LoadedEmail } from './loaded-email.js';
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
import type { DeliveryProviders } from './delivery-providers.js';
import type { ProviderInUse } from './provider-in-use.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { ProviderSlots } from './concurrency/provider-slots.js';

/** The claim of the email that is delivered. */
export interface ClaimForCalls {
  /** Names the provider that is called, also if it refuses the email before the hand-over. */
  name(providerId: string): void;
  /** Claims the email for a call of this provider, see `HandOver`. */
  allowsHandOver(providerId: string): Promise<boolean>;
}

/** Calls providers with an overall timeout. */
@Injectable()
export class ProviderCalls {
  readonly timeoutMs: number;

  constructor(
    @Inject(SETTINGS) private readonly settings: RunSettings,
    private readonly metrics: DeliveryMetrics,
    private readonly slots: ProviderSlots,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    this.timeoutMs = settings.DELIVERY_TIMEOUT_MS;
  }

  /** @param providers the ones that may get the email */
  deliver(
    providers: DeliveryProviders,
    email: LoadedEmail,
    rendered: RenderedForRecipient,
    claim: ClaimForCalls,
  ): Promise<DeliveryOutcome> {
    const message = this.messageOf(email, rendered);
    const call = async (provider: ProviderInUse, signal: AbortSignal) => {
      claim.name(provider.id);
      let isDenied = false;
      const ask = async (): Promise<boolean> => {
        const isAllowed = await claim.allowsHandOver(provider.id);
        isDenied = !isAllowed;
        return isAllowed;
      };
      return { outcome: await this.call(providers, provider, message, signal, ask), stays: isDenied };
    };
    return providers.deliver(email, call, this.timeoutMs);
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
    providers: DeliveryProviders,
    provider: ProviderInUse,
    rendered: RenderedBatch,
    handOver: BatchHandOver,
  ): Promise<DeliveryOutcome> {
    const { id } = provider;
    const { batch } = provider.provider;
    const { recipients } = rendered;
    const message = batchMessage(rendered, recipients[0]!.email);
    const emails = recipients.map((own) => this.batchRecipient(own));
    const call = () => abortAfter(this.timeoutMs, (signal) => batch!.deliver(message, emails, signal, handOver));
    const outcome = this.observe(providers, provider, call, emails.length);
    if (this.tracing.on) {
      const spans = emails.map(({ emailId, attempt }) => {
        const facts = { provider: id, attempt };
        return this.tracing.follow({ emailId, name: 'deliver', kind: 'client', facts }, async (addFacts) => {
          addFacts({ outcome: (await outcome).kind });
        });
      });
      await Promise.all(spans);
    }
    await providers.note(provider, await outcome, message.organizationId);
    return outcome;
  }

  private call(
    providers: DeliveryProviders,
    inUse: ProviderInUse,
    message: OutgoingEmail,
    signal: AbortSignal,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    const { emailId, attempt } = message;
    const facts = { provider: inUse.id, attempt };
    return this.tracing.follow({ emailId, name: 'deliver', kind: 'client', facts }, async (addFacts) => {
      const call = () => inUse.provider.deliver(message, signal, handOver);
      const outcome = await this.observe(providers, inUse, call);
      addFacts({ outcome: outcome.kind });
      return outcome;
    });
  }

  /** The speed of an organization's own provider says nothing about the slots that the service's providers need. */
  private observe(
    { versions }: DeliveryProviders,
    { id, label = id }: ProviderInUse,
    call: () => Promise<DeliveryOutcome>,
    emails = 1,
  ): Promise<DeliveryOutcome> {
    const measured = () => this.metrics.observe(label, call, emails);
    return versions === undefined ? this.slots.observe(measured) : measured();
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
