import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import { EmailLoader, type LoadedEmail } from './load-email.js';
import type { DeliveryOutcome, HandOver } from '../../providers/provider.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import type { RenderedEmail } from '../../rendering/render-email.js';
import { RenderingLimitError, RenderingTimeError } from '../../rendering/rendering-limit-error.js';
import { LeasedSend } from './leased-send.js';
import { isPoison, POISON_REASON } from './poison-email.js';
import { DeliveryNotifier } from './delivery-notifier.js';
import { EmailRendering } from './email-rendering.js';
import { ProviderCalls } from './provider-calls.js';
import { RETRY_HORIZON_MS } from './retry-schedule.js';

const HELD_TOO_LONG = 'The delivery provider accepted no mail for 24 hours';

/**
 * One run of a send job: check that the email is due, render, deliver, settle.
 * The claim happens during the delivery, just before the provider receives the end of the message. Every step before
 * that is repeatable.
 */
@Injectable()
export class EmailDelivery {
  constructor(
    private readonly emails: EmailLoader,
    private readonly rendering: EmailRendering,
    private readonly leased: LeasedSend,
    private readonly notifier: DeliveryNotifier,
    private readonly calls: ProviderCalls,
  ) {}

  /** @param stalls runs of this job that ended without an outcome */
  async run({ emailId, waitingInstance }: Jobs['send-email'], stalls: number): Promise<void> {
    const email = await this.emails.find(emailId);
    switch (email?.status) {
      case 'queued':
        // An email that is not due gets a job later.
        if (email.dueInMs === 0) await this.deliver(email, stalls, waitingInstance);
        return;
      case 'sent':
        // The run that sent it may have crashed before it notified.
        return this.notifyAgain(email, waitingInstance);
      case 'sending':
      case 'failed':
      case 'tracked':
      case undefined:
        return;
    }
  }

  /**
   * Fails an email that has waited too long while the provider accepts none. The ID contains the time of acceptance,
   * so a recent email costs no query.
   * @returns true when the email is final
   */
  async giveUpOverdue({ emailId, waitingInstance }: Jobs['send-email']): Promise<boolean> {
    if (Date.now() - timeOfUuidV7(emailId) <= RETRY_HORIZON_MS) return false;
    const email = await this.emails.find(emailId);
    const isOverdue = email?.status === 'queued' && email.dueInMs === 0 && email.queuedForMs > RETRY_HORIZON_MS;
    if (!isOverdue) return false;
    const lease = { emailId, token: randomUUID() };
    await this.leased.run(lease, { email, urls: [], waitingInstance }, () => ({
      kind: 'refused',
      reason: HELD_TOO_LONG,
    }));
    return true;
  }

  private notifyAgain({ id, trackingId, sentAt }: LoadedEmail, waitingInstance: string | undefined): Promise<void> {
    const status = { emailId: id, trackingId, sentAt: sentAt!, waitingInstance };
    return this.notifier.sent({ ...status, result: undefined, deliveries: [] });
  }

  private async deliver(email: LoadedEmail, stalls: number, waitingInstance: string | undefined): Promise<void> {
    const lease = { emailId: email.id, token: randomUUID() };
    const settleAs = (
      urls: readonly string[],
      deliver: (handOver: HandOver) => DeliveryOutcome | Promise<DeliveryOutcome>,
    ): Promise<void> => this.leased.run(lease, { email, urls, waitingInstance }, deliver);

    if (isPoison(email, stalls)) return settleAs([], () => ({ kind: 'refused', reason: POISON_REASON }));
    const rendered = await this.render(email);
    if (rendered instanceof Error) return settleAs([], () => outcomeOfFailedRendering(rendered, email.attempts + 1));
    const urls = rendered.links.map((link) => link.originalUrl);
    return settleAs(urls, (handOver) => this.calls.deliver(email, rendered, handOver));
  }

  /** An error becomes an outcome, so that it counts as an attempt and retries end. */
  private async render(email: LoadedEmail): Promise<RenderedEmail | Error> {
    try {
      return await this.rendering.render(email);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

function outcomeOfFailedRendering(error: Error, attempt: number): DeliveryOutcome {
  // A busy host can cause a timeout; a document that times out on every attempt is itself the cause.
  const isFinal = error instanceof RenderingLimitError && !(error instanceof RenderingTimeError && attempt < 5);
  if (isFinal) return { kind: 'refused', reason: `htmlContent ${error.message}` };
  return { kind: 'retry', reason: 'The email could not be rendered' };
}
