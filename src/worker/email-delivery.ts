import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DeliverableEmails, type DeliverableEmail } from '../emails/deliverable-emails.js';
import type { DeliveryOutcome } from '../providers/provider.js';
import type { RenderedEmail } from '../rendering/render-email.js';
import { RenderingLimitError, RenderingTimeError } from '../rendering/rendering-limit-error.js';
import { ClaimedDelivery } from './claimed-delivery.js';
import { isPoison, POISON_REASON } from './crash-budget.js';
import { DeliverySettlement, type Settled } from './delivery-settlement.js';
import { EmailRendering } from './email-rendering.js';
import { ProviderCalls } from './provider-calls.js';

const NOTHING_TO_DO: Settled = { final: false };

/**
 * One run of a send job, as steps that can be read aloud: is the email due, render, claim, deliver, settle.
 * Everything before the claim can be repeated without a trace; the claim says that the request may start.
 */
@Injectable()
export class EmailDelivery {
  constructor(
    private readonly emails: DeliverableEmails,
    private readonly rendering: EmailRendering,
    private readonly claimed: ClaimedDelivery,
    private readonly settlement: DeliverySettlement,
    private readonly calls: ProviderCalls,
  ) {}

  /** @param stalls runs of this job that ended without a word */
  async run(emailId: string, stalls: number): Promise<Settled> {
    const email = await this.emails.find(emailId);
    if (!email) return NOTHING_TO_DO;
    switch (email.status) {
      case 'queued':
        // One that is not due has a later job to come.
        return email.dueInMs > 0 ? NOTHING_TO_DO : this.deliver(email, stalls);
      case 'sent':
        // The run that sent it may have died before it said so.
        return this.settlement.announceSent(email.id, email.trackingId, email.sentAt!);
      case 'sending':
      case 'failed':
      case 'tracked':
        return NOTHING_TO_DO;
    }
  }

  private async deliver(email: DeliverableEmail, stalls: number): Promise<Settled> {
    if (isPoison(email, stalls)) {
      return this.settleAs(email, [], () => ({ kind: 'refused', reason: POISON_REASON }));
    }
    const rendered = await this.render(email);
    if (rendered instanceof Error) {
      return this.settleAs(email, [], (attempt) => outcomeOfFailedRendering(rendered, attempt));
    }
    const urls = rendered.links.map((link) => link.originalUrl);
    return this.settleAs(email, urls, (attempt) => this.calls.deliver(email, rendered, attempt));
  }

  private settleAs(
    email: DeliverableEmail,
    urls: readonly string[],
    deliver: (attempt: number) => DeliveryOutcome | Promise<DeliveryOutcome>,
  ): Promise<Settled> {
    return this.claimed.run({ emailId: email.id, token: randomUUID() }, { email, urls }, deliver);
  }

  /** An error becomes an outcome, so that it counts as an attempt and ends some day. */
  private async render(email: DeliverableEmail): Promise<RenderedEmail | Error> {
    try {
      return await this.rendering.render(email);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

function outcomeOfFailedRendering(error: Error, attempt: number): DeliveryOutcome {
  // A busy host can be the reason for running out of time; a document that always does is at fault itself.
  const isFinal = error instanceof RenderingLimitError && !(error instanceof RenderingTimeError && attempt < 5);
  if (isFinal) return { kind: 'refused', reason: `htmlContent ${error.message}` };
  return { kind: 'retry', reason: 'The email could not be rendered this time' };
}
