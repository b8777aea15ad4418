import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DeliverableEmails, type DeliverableEmail } from '../emails/deliverable-emails.js';
import type { DeliveryOutcome } from '../providers/provider.js';
import type { Jobs } from '../queue/jobs.js';
import type { RenderedEmail } from '../rendering/render-email.js';
import { RenderingLimitError, RenderingTimeError } from '../rendering/rendering-limit-error.js';
import { ClaimedDelivery } from './claimed-delivery.js';
import { isPoison, POISON_REASON } from './crash-budget.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { EmailRendering } from './email-rendering.js';
import { ProviderCalls } from './provider-calls.js';

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
    private readonly announcer: DeliveryAnnouncer,
    private readonly calls: ProviderCalls,
  ) {}

  /** @param stalls runs of this job that ended without a word */
  async run({ emailId, replyTo }: Jobs['send-email'], stalls: number): Promise<void> {
    const email = await this.emails.find(emailId);
    switch (email?.status) {
      case 'queued':
        // One that is not due has a later job to come.
        if (email.dueInMs === 0) await this.deliver(email, stalls, replyTo);
        return;
      case 'sent':
        // The run that sent it may have died before it said so.
        return this.announceAgain(email, replyTo);
      case 'sending':
      case 'failed':
      case 'tracked':
      case undefined:
        return;
    }
  }

  private announceAgain({ id, trackingId, sentAt }: DeliverableEmail, replyTo: string | undefined): Promise<void> {
    const news = { emailId: id, trackingId, sentAt: sentAt!, replyTo };
    return this.announcer.sent({ ...news, result: undefined, deliveries: [] });
  }

  private async deliver(email: DeliverableEmail, stalls: number, replyTo: string | undefined): Promise<void> {
    const lease = { emailId: email.id, token: randomUUID() };
    const settleAs = (
      urls: readonly string[],
      deliver: (attempt: number) => DeliveryOutcome | Promise<DeliveryOutcome>,
    ): Promise<void> => this.claimed.run(lease, { email, urls, replyTo }, deliver);

    if (isPoison(email, stalls)) return settleAs([], () => ({ kind: 'refused', reason: POISON_REASON }));
    const rendered = await this.render(email);
    if (rendered instanceof Error) return settleAs([], (attempt) => outcomeOfFailedRendering(rendered, attempt));
    const urls = rendered.links.map((link) => link.originalUrl);
    return settleAs(urls, (attempt) => this.calls.deliver(email, rendered, attempt));
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
