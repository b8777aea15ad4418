import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import type { LoadedEmail } from './load-email.js';
import { DeliveryState, type Postponement } from './delivery-state.js';
import { OUTCOME_UNKNOWN } from './outcome-unknown.js';
import type { DeliveryOutcome, RecipientResult } from '../../providers/provider.js';
import { AmbiguityPolicy } from './ambiguity-policy.js';
import { DeliveryNotifier } from './delivery-notifier.js';
import { ProviderPause, type PauseCause } from './provider-pause.js';
import { RETRY_HORIZON_MS, emailRetryDelayMs } from './retry-schedule.js';
import type { Lease } from './lease.js';

/** How long deliveries pause after the provider refused our credential: an operator has to act. */
const CREDENTIAL_PAUSE_MS = 60_000;

export interface DeliveryAttempt {
  readonly email: LoadedEmail;
  readonly lease: Lease;
  readonly attempt: number;
  readonly urls: readonly string[];
  /** The API process that waits for the result, if any. */
  readonly waitingInstance: string | undefined;
}

/** Applies the provider's outcome to the email's state. */
@Injectable()
export class DeliverySettlement {
  constructor(
    private readonly state: DeliveryState,
    private readonly notifier: DeliveryNotifier,
    private readonly pause: ProviderPause,
    private readonly ambiguity: AmbiguityPolicy,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  settle(attempt: DeliveryAttempt, outcome: DeliveryOutcome): Promise<void> {
    switch (outcome.kind) {
      case 'accepted':
        return this.accepted(attempt, outcome.providerId, outcome.recipients ?? []);
      case 'refused':
        return this.fail(attempt, outcome.reason);
      case 'retry':
        return this.retry(attempt, outcome.reason, outcome.afterMs ?? 0);
      case 'throttled':
        return this.hold(attempt, outcome.reason, outcome.kind, outcome.pauseMs);
      case 'credential-refused':
        return this.hold(attempt, outcome.reason, outcome.kind, CREDENTIAL_PAUSE_MS);
      case 'ambiguous':
        return this.ambiguous(attempt, outcome.reason);
    }
  }

  /** Deferred recipients are retried alone before the email counts as sent. */
  private async accepted(
    attempt: DeliveryAttempt,
    providerId: string,
    recipients: readonly RecipientResult[],
  ): Promise<void> {
    this.pause.accepted();
    const deferred = recipients.find((recipient) => recipient.state === 'deferred');
    if (deferred && !this.isOverdue(attempt)) {
      const reason = deferred.reason ?? 'Some recipients were deferred';
      return this.postpone(attempt, { ...this.retryLater(attempt, reason, 0), providerId, recipients });
    }
    return this.markSent(attempt, providerId, recipients);
  }

  private async markSent(
    attempt: DeliveryAttempt,
    providerId: string,
    recipients: readonly RecipientResult[],
  ): Promise<void> {
    const { email, lease, urls, waitingInstance } = attempt;
    const sentAt = new Date(this.clock.now());
    const deliveries = await this.state.markSent(lease, { providerId, urls, sentAt, recipients });
    if (!deliveries) return;
    const { id: emailId, trackingId } = email;
    const result = { status: 'sent', providerId, urls } as const;
    await this.notifier.sent({ emailId, trackingId, sentAt, result, waitingInstance, deliveries });
  }

  /** An email that reached a recipient counts as sent, whatever happens to the others. */
  private async fail(attempt: DeliveryAttempt, reason: string): Promise<void> {
    const { email, lease, waitingInstance } = attempt;
    if (email.reached) {
      const refused = email.message.envelopeRecipients.map((address): RecipientResult => ({
        address,
        state: 'refused',
        reason,
      }));
      return this.markSent(attempt, email.providerId ?? email.id, refused);
    }
    const deliveries = await this.state.markFailed(lease, reason, []);
    if (deliveries) await this.notifier.failed({ emailId: email.id, waitingInstance, deliveries }, reason);
  }

  private retry(attempt: DeliveryAttempt, reason: string, notBeforeMs: number): Promise<void> {
    if (this.isOverdue(attempt)) return this.fail(attempt, reason);
    return this.postpone(attempt, this.retryLater(attempt, reason, notBeforeMs));
  }

  private retryLater({ attempt }: DeliveryAttempt, reason: string, notBeforeMs: number): Postponement {
    const delayMs = Math.max(notBeforeMs, emailRetryDelayMs(attempt, Math.random()));
    return { reason, delayMs, countsAsAttempt: true };
  }

  /** Uses no attempt, but the retry horizon still applies. */
  private async hold(attempt: DeliveryAttempt, reason: string, cause: PauseCause, pauseMs: number): Promise<void> {
    await this.pause.begin(pauseMs, cause);
    if (this.isOverdue(attempt)) return this.fail(attempt, reason);
    return this.postpone(attempt, { reason, delayMs: pauseMs, countsAsAttempt: false });
  }

  private ambiguous(attempt: DeliveryAttempt, reason: string): Promise<void> {
    const resendAfterMs = this.ambiguity.resendAfterMs(attempt.email.possibleDuplicate);
    if (resendAfterMs === undefined) return this.fail(attempt, `${OUTCOME_UNKNOWN}: ${reason}`);
    return this.postpone(attempt, { reason, delayMs: resendAfterMs, countsAsAttempt: true, possibleDuplicate: true });
  }

  private async postpone({ lease }: DeliveryAttempt, postponement: Postponement): Promise<void> {
    await this.state.postpone(lease, postponement);
  }

  /** Uses the Postgres clock: a worker's clock must not decide about an email. */
  private isOverdue({ email }: DeliveryAttempt): boolean {
    return email.queuedForMs > RETRY_HORIZON_MS;
  }
}
