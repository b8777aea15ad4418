import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DeliverableEmails, type DeliverableEmail } from '../emails/deliverable-emails.js';
import type { DeliveryOutcome } from '../providers/provider.js';
import type { RenderedEmail } from '../rendering/render-email.js';
import { RenderingLimitError } from '../rendering/rendering-limit-error.js';
import { DeliverySettlement, type Settled } from './delivery-settlement.js';
import { EmailRendering } from './email-rendering.js';
import { ProviderCalls } from './provider-calls.js';
import { ProviderPause } from './provider-pause.js';

/** The lease outlives the delivery's deadline by this much, for the statement that records the outcome. */
const LEASE_MARGIN_MS = 30_000;

const NOTHING_TO_DO: Settled = { kind: 'finished', final: false };

/**
 * One run of a send job, as steps that can be read aloud: is the provider open, is the email due, render,
 * claim, deliver, settle. Everything before the claim can be repeated without a trace.
 */
@Injectable()
export class EmailDelivery {
  constructor(
    private readonly emails: DeliverableEmails,
    private readonly rendering: EmailRendering,
    private readonly pause: ProviderPause,
    private readonly settlement: DeliverySettlement,
    private readonly calls: ProviderCalls,
  ) {}

  async run(emailId: string): Promise<Settled> {
    const pausedMs = await this.pause.remainingMs();
    if (pausedMs > 0) return { kind: 'later', delayMs: pausedMs };
    const email = await this.emails.find(emailId);
    if (!email) return NOTHING_TO_DO;
    switch (email.status) {
      case 'queued':
        return email.dueInMs > 0 ? { kind: 'later', delayMs: email.dueInMs } : this.deliver(email);
      case 'sent':
        // The run that sent it may have died before it said so.
        return this.settlement.announceSent(email.id, email.trackingId, email.sentAt!);
      case 'sending':
      case 'failed':
      case 'tracked':
        return NOTHING_TO_DO;
    }
  }

  private async deliver(email: DeliverableEmail): Promise<Settled> {
    const rendered = await this.render(email);
    const lease = { emailId: email.id, token: randomUUID() };
    const attempt = await this.settlement.claim(lease, this.calls.timeoutMs + LEASE_MARGIN_MS);
    if (attempt === undefined) return NOTHING_TO_DO;
    const outcome: DeliveryOutcome =
      rendered instanceof RenderingLimitError
        ? { kind: 'refused', reason: rendered.message }
        : await this.calls.deliver(email, rendered, attempt);
    const urls = rendered instanceof RenderingLimitError ? [] : rendered.links.map((link) => link.originalUrl);
    return this.settlement.settle({ email, lease, attempt, urls }, outcome);
  }

  private async render(email: DeliverableEmail): Promise<RenderedEmail | RenderingLimitError> {
    try {
      return await this.rendering.render(email);
    } catch (error) {
      if (error instanceof RenderingLimitError) return error;
      throw error;
    }
  }
}
