import { Injectable } from '@nestjs/common';
import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { RenderingWaitError } from '../../rendering/rendering-limit-error.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import { audienceOf } from './claims.js';
import { DeliverySettlement } from './delivery-settlement.js';
import type { DeliveryProviders } from './delivery-providers.js';
import type { EmailClaim } from './email-claim.js';
import { EmailRendering, type RenderedForRecipient } from './email-rendering.js';
import { outcomeOfFailedRendering } from './failed-rendering.js';
import { HeldLeases } from './held-leases.js';
import { EmailLoader } from './load-email.js';
import type { LoadedEmail } from './loaded-email.js';
import { allSuppressedReason } from './all-suppressed.js';
import { isPoison, POISON_REASON } from './poison-email.js';
import { ProviderCalls } from './provider-calls.js';
import { recordOutcome, STALLED } from './record-outcome.js';
import { RETRY_HORIZON_MS } from './retry-schedule.js';

/** It was deleted while the email was queued again. */
const BODY_GONE = 'The body of this email was deleted';
const HELD_TOO_LONG = 'The delivery provider accepted no mail for 24 hours';

/** How long an email may wait for its delivery once it is loaded. */
const FRESH_MS = 5_000;

/** An email that was loaded before its delivery has a slot: together with others, or while it waited. */
export interface PreparedEmail {
  readonly email: LoadedEmail;
  /** The rendered email, or the outcome if the provider need not be called. */
  readonly render: () => RenderedForRecipient | DeliveryOutcome;
  readonly loadedAt: number;
}

/**
 * One run of a send job, step by step: load, check that the email is due, render, call the provider, record the
 * outcome. The claim happens during the call, just before the provider receives the end of the message. Every step
 * before that is repeatable.
 */
@Injectable()
export class DeliverEmail {
  constructor(
    private readonly emails: EmailLoader,
    private readonly rendering: EmailRendering,
    private readonly leases: HeldLeases,
    private readonly calls: ProviderCalls,
    private readonly settlement: DeliverySettlement,
  ) {}

  /**
   * @param providers the ones that may get the email
   * @param stalls runs of this job that ended without an outcome
   * @param prepared the email, if it was loaded before; it is loaded again if that was too long ago
   * @throws RenderingWaitError when no rendering thread is free for it in time
   */
  async run(
    providers: DeliveryProviders,
    job: Jobs['send-email'],
    stalls: number,
    prepared?: PreparedEmail,
  ): Promise<void> {
    const isFresh = prepared && performance.now() - prepared.loadedAt < FRESH_MS;
    let suppressed = isFresh
      ? await this.deliver(providers, prepared.email, prepared.render(), job.waitingInstance)
      : await this.tryToRun(providers, job, stalls, []);
    // Each iteration leaves at least one recipient out, so the loop ends.
    while (suppressed.length > 0) suppressed = await this.tryToRun(providers, job, stalls, suppressed);
  }

  /**
   * Loads and renders an email before its run.
   * @returns undefined if it is not due
   * @throws RenderingWaitError when no rendering thread is free for it in time
   */
  async prepareAhead({ emailId }: Jobs['send-email'], stalls: number): Promise<PreparedEmail | undefined> {
    const loadedAt = performance.now();
    const email = await this.emails.find(emailId);
    if (email?.status !== 'queued' || email.dueInMs > 0) return undefined;
    const prepared = await this.prepare(email, stalls, []);
    return { email, render: () => prepared, loadedAt };
  }

  /** Reports an email that was sent: the run that sent it may have crashed before. */
  async reportSent({ emailId, waitingInstance }: Jobs['send-email']): Promise<undefined> {
    const email = await this.emails.find(emailId);
    if (email?.status === 'sent') await this.settlement.reportSentAgain(email, waitingInstance);
  }

  /** @returns the recipients that must be left out before the email can be delivered */
  private async tryToRun(
    providers: DeliveryProviders,
    { emailId, waitingInstance }: Jobs['send-email'],
    stalls: number,
    leftOut: readonly SuppressedRecipient[],
  ): Promise<readonly SuppressedRecipient[]> {
    const email = await this.emails.find(emailId);
    switch (email?.status) {
      case 'queued': {
        // An email that is not due gets a job later.
        if (email.dueInMs > 0) return [];
        const prepared = await this.prepare(email, stalls, leftOut);
        return this.deliver(providers, email, prepared, waitingInstance);
      }
      case 'sent':
        await this.settlement.reportSentAgain(email, waitingInstance);
        return [];
      case 'sending':
      case 'failed':
      case 'tracked':
      case 'scheduled':
      case 'canceled':
      case undefined:
        return [];
    }
  }

  /**
   * Fails an email that was queued for 24 hours, in all of which the provider accepted none. The ID contains the time
   * of acceptance, so a recent email costs no query.
   * @returns true when the email is final
   */
  async giveUpOverdue(
    providers: DeliveryProviders,
    { emailId, waitingInstance }: Jobs['send-email'],
  ): Promise<boolean> {
    if (Date.now() - timeOfUuidV7(emailId) <= RETRY_HORIZON_MS) return false;
    const email = await this.emails.find(emailId);
    const isOverdue = email?.status === 'queued' && email.dueInMs === 0 && email.queuedForMs > RETRY_HORIZON_MS;
    if (!isOverdue) return false;
    await this.deliver(providers, email, { kind: 'refused', reason: HELD_TOO_LONG }, waitingInstance);
    return true;
  }

  /** Renders the email. Returns the outcome instead if the provider need not be called. */
  private async prepare(
    email: LoadedEmail,
    stalls: number,
    leftOut: readonly SuppressedRecipient[],
  ): Promise<RenderedForRecipient | DeliveryOutcome> {
    const { envelopeRecipients, to } = email.message;
    const needsLinks = email.reported && to.length > 0;
    if (envelopeRecipients.length === 0 && !needsLinks)
      return { kind: 'refused', reason: allSuppressedReason(leftOut) };
    if (email.isBodyGone && !email.reported) return { kind: 'refused', reason: BODY_GONE };
    if (isPoison(email, stalls)) return { kind: 'refused', reason: POISON_REASON };
    try {
      return await this.rendering.render(email);
    } catch (error) {
      if (error instanceof RenderingWaitError) throw error;
      // As an outcome it counts as an attempt, so that retries end.
      return outcomeOfFailedRendering(error, email.attempts + 1);
    }
  }

  /**
   * Calls the provider, unless the outcome is already known, for example from reports. If the call ends without a
   * claim, the claim is made to record the outcome. An email that another worker holds is left alone.
   * @returns the recipients that were left out instead, because they are suppressed
   */
  private async deliver(
    providers: DeliveryProviders,
    email: LoadedEmail,
    prepared: RenderedForRecipient | DeliveryOutcome,
    waitingInstance: string | undefined,
  ): Promise<readonly SuppressedRecipient[]> {
    const isRendered = 'html' in prepared;
    const isCall = isRendered && !email.reported;
    const claim = this.leases.begin(email, isCall ? audienceOf(email) : undefined);
    try {
      const outcome = await this.outcomeOf(providers, email, prepared, claim);
      const attempt = await claim.attempt();
      if (claim.suppressed.length > 0) await this.settlement.leaveOut(email.id, claim.suppressed);
      if (attempt === undefined) return claim.suppressed;
      const urls = isRendered ? prepared.urls : [];
      const { lease } = claim;
      const { areOwn: isForOwnProviders } = providers;
      const made = { email, lease, attempt, isForOwnProviders, urls, waitingInstance };
      await recordOutcome(this.settlement, made, claim.isStale ? STALLED : outcome);
      return [];
    } finally {
      this.leases.end(claim);
    }
  }

  private async outcomeOf(
    providers: DeliveryProviders,
    email: LoadedEmail,
    prepared: RenderedForRecipient | DeliveryOutcome,
    claim: EmailClaim,
  ): Promise<DeliveryOutcome> {
    if (!('html' in prepared)) return prepared;
    // The response of that call was lost, and with it the provider's ID of the email.
    if (email.reported) return { kind: 'accepted', providerId: email.providerId ?? email.id };
    return this.calls.deliver(providers, email, prepared, claim);
  }
}
