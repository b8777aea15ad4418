import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DeliverableEmails, type DeliverableEmail } from '../emails/deliverable-emails.js';
import type { DeliveryOutcome } from '../providers/provider.js';
import type { RenderedEmail } from '../rendering/render-email.js';
import { RenderingLimitError, RenderingTimeError } from '../rendering/rendering-limit-error.js';
import { DeliverySettlement, type Attempt, type Settled } from './delivery-settlement.js';
import { EmailRendering } from './email-rendering.js';
import { ProviderCalls } from './provider-calls.js';
import { ProviderPause } from './provider-pause.js';

/** The lease outlives the delivery's deadline by this much, for the statement that records the outcome. */
const LEASE_MARGIN_MS = 30_000;

const SETTLE_PAUSE_MS = 1_000;

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
    if (rendered instanceof Error) {
      return this.settle({ email, lease, attempt, urls: [] }, outcomeOfFailedRendering(rendered, attempt));
    }
    const outcome = await this.calls.deliver(email, rendered, attempt);
    const urls = rendered.links.map((link) => link.originalUrl);
    return this.settle({ email, lease, attempt, urls }, outcome);
  }

  /** An error becomes an outcome, so that it counts as an attempt and ends some day. */
  private async render(email: DeliverableEmail): Promise<RenderedEmail | Error> {
    try {
      return await this.rendering.render(email);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /**
   * What the provider said is known only here: while Postgres is away it is kept and told again until the lease
   * is nearly over. Telling it twice is harmless, because the move is bound to the lease.
   */
  private async settle(attempt: Attempt, outcome: DeliveryOutcome): Promise<Settled> {
    const giveUpAt = performance.now() + LEASE_MARGIN_MS - SETTLE_PAUSE_MS;
    for (;;) {
      try {
        return await this.settlement.settle(attempt, outcome);
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        await setTimeout(SETTLE_PAUSE_MS);
      }
    }
  }
}

function outcomeOfFailedRendering(error: Error, attempt: number): DeliveryOutcome {
  // A busy host can be the reason for running out of time; a document that always does is at fault itself.
  const isFinal = error instanceof RenderingLimitError && !(error instanceof RenderingTimeError && attempt < 5);
  if (isFinal) return { kind: 'refused', reason: `htmlContent ${error.message}` };
  return { kind: 'retry', reason: 'The email could not be rendered this time' };
}
