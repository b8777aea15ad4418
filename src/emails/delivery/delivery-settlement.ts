import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { SETTINGS } from '../../platform/config/settings.js';
import { lateOutcomeMs, type AmbiguousSettings } from '../dispatch/late-outcome.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import { DeliveryNotifier } from './delivery-notifier.js';
import { decideDelivery, type DeliveryDecision } from './delivery-policy.js';
import { DeliveryState } from './delivery-state.js';
import { readFinalStatus } from './final-status.js';
import type { Lease } from './lease.js';
import type { LoadedEmail } from './loaded-email.js';

export interface DeliveryAttempt {
  readonly email: LoadedEmail;
  readonly lease: Lease;
  readonly attempt: number;
  /** True if it was made through the organization's own providers. */
  readonly isForOwnProviders?: boolean;
  readonly urls: readonly string[];
  /** The API process that waits for the result, if any. */
  readonly waitingInstance: string | undefined;
}

/** Carries out the policy's decision about an outcome: changes the state of the email, and reports its final status. */
@Injectable()
export class DeliverySettlement {
  constructor(
    private readonly database: Database,
    private readonly state: DeliveryState,
    private readonly notifier: DeliveryNotifier,
    @Inject(SETTINGS) private readonly settings: AmbiguousSettings,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /** The time of an outcome that is known now, for `settle`. */
  now(): Date {
    return new Date(this.clock.now());
  }

  get lateOutcomeMs(): number {
    return lateOutcomeMs(this.settings);
  }

  /**
   * @param knownAt the same in every repeat: after an outage of Postgres, the email was still sent before it
   * @returns false when the lease is lost, so that the email stays as it is
   */
  async settle(attempt: DeliveryAttempt, outcome: DeliveryOutcome, knownAt: Date): Promise<boolean> {
    if (outcome.kind === 'accepted' && attempt.email.reported) await this.state.resolveUnknownOutcome(attempt.lease);
    const { AMBIGUOUS_SEND, AMBIGUOUS_RESEND_AFTER_MS } = this.settings;
    const resendAfterMs = AMBIGUOUS_SEND === 'hold' ? undefined : AMBIGUOUS_RESEND_AFTER_MS;
    const decision = decideDelivery(outcome, { ...attempt, random: Math.random(), resendAfterMs });
    return this.carryOut(attempt, decision, knownAt);
  }

  /**
   * Reports the final status of an email, if it has one. Another process may have reported it already: receivers detect
   * duplicates by ID. A sweep finds its webhook deliveries.
   */
  async reportFinal({ email, waitingInstance }: DeliveryAttempt): Promise<void> {
    const final = await readFinalStatus(this.database, email.id);
    if (final?.status === 'sent') return this.reportSentAgain({ ...email, sentAt: final.sentAt }, waitingInstance);
    if (final?.status !== 'failed') return;
    const { organizationId } = email.message;
    await this.notifier.failed({ organizationId, emailId: email.id, waitingInstance, deliveries: [] }, final.reason);
  }

  /** Reports an email that an earlier run sent: that run may have crashed before it reported. */
  async reportSentAgain(
    { id, trackingId, sentAt }: Pick<LoadedEmail, 'id' | 'trackingId' | 'sentAt'>,
    waitingInstance: string | undefined,
  ): Promise<void> {
    const status = { emailId: id, trackingId, sentAt: sentAt!, waitingInstance };
    await this.notifier.sent({ ...status, result: undefined, deliveries: [] });
  }

  /** Records that the email leaves recipients out. */
  async leaveOut(emailId: string, suppressed: readonly SuppressedRecipient[]): Promise<void> {
    const deliveries = await this.state.leaveOut(emailId, suppressed);
    if (deliveries) await this.notifier.leftOut(suppressed, deliveries);
  }

  private carryOut(attempt: DeliveryAttempt, decision: DeliveryDecision, knownAt: Date): Promise<boolean> {
    switch (decision.kind) {
      case 'sent':
        return this.markSent(attempt, decision, knownAt);
      case 'failed':
        return this.markFailed(attempt, decision);
      case 'retry':
        return this.state.postpone(attempt.lease, decision, decision.providerId === undefined ? [] : attempt.urls);
    }
  }

  private async markSent(
    { email, lease, urls, waitingInstance }: DeliveryAttempt,
    { providerId, response, recipients }: Extract<DeliveryDecision, { kind: 'sent' }>,
    sentAt: Date,
  ): Promise<boolean> {
    const deliveries = await this.state.markSent(lease, {
      ...{ providerId, urls, sentAt, recipients },
      ...(response !== undefined && { response }),
    });
    if (!deliveries) return false;
    const { id: emailId, trackingId } = email;
    const result = { status: 'sent', providerId, urls } as const;
    await this.notifier.sent({ emailId, trackingId, sentAt, result, waitingInstance, deliveries });
    return true;
  }

  private async markFailed(
    { email, lease, waitingInstance }: DeliveryAttempt,
    { reason, recipients }: Extract<DeliveryDecision, { kind: 'failed' }>,
  ): Promise<boolean> {
    const deliveries = await this.state.markFailed(lease, reason, recipients);
    if (!deliveries) return false;
    const { organizationId } = email.message;
    await this.notifier.failed({ organizationId, emailId: email.id, waitingInstance, deliveries }, reason);
    return true;
  }
}
