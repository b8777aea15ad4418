import type { DeliveryOutcome } from '../../providers/provider.js';
import type { RecipientResult } from '../../providers/hand-over-result.js';
import type { AttemptedEmail } from './attempted-email.js';
import { inDoubt, UNKNOWN_OUTCOME } from './unknown-outcome-reason.js';
import type { PauseCause } from './provider-pause-key.js';
import { acceptedNow, givenUp, keepingDoubt, overdue, provenBefore, withSeparate } from './recipient-results.js';
import { RETRY_HORIZON_MS, emailRetryDelayMs } from './retry-schedule.js';

/** How long deliveries pause after the provider refused our credential: an operator has to act. */
const CREDENTIAL_PAUSE_MS = 60_000;

/** An email waits for its next attempt. */
export interface Postponement {
  readonly reason: string;
  readonly delayMs: number;
  /** False when the email did not cause the failure: the attempt does not count. */
  readonly countsAsAttempt: boolean;
  readonly possibleDuplicate?: boolean;
  /** True if an earlier attempt was in doubt, too: a report does not show that there is only one copy. */
  readonly isSecondDoubt?: boolean;
  /** True if the email waits until `HeldMail` releases it, instead of the delay. */
  readonly isHeld?: boolean;
  /** Set when the provider accepted the email for some of its recipients. */
  readonly providerId?: string;
  readonly recipients?: readonly RecipientResult[];
}

type Final = Exclude<DeliveryDecision, { kind: 'retry' }>;

/** The decision about an email after an attempt. */
export type DeliveryDecision =
  | {
      readonly kind: 'sent';
      readonly providerId: string;
      /** The provider's words. */
      readonly response?: string;
      readonly recipients: readonly RecipientResult[];
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly recipients: readonly RecipientResult[] }
  | ({ readonly kind: 'retry' } & Postponement);

/**
 * The retry policy. An email is retried for 24 hours after its first attempt, however long it was held back or waited
 * behind others before. A retry that was due within them is not the last one, however late its turn comes. After a
 * pause of its broadcast, the 24 hours begin with the next attempt, and after a suspension or pause of its organization
 * with its end. Providers offer no idempotency key, except Resend for a day, so an email whose outcome is unknown is
 * resent at most once, after a delay in which the outcome may still arrive, with the same Message-ID and flagged. A
 * second unknown outcome fails it. If the provider reports on the email before that, it is not resent.
 */
export function decideDelivery(outcome: DeliveryOutcome, attempted: AttemptedEmail): DeliveryDecision {
  // By the Postgres clock: a worker's clock must not decide about an email.
  const isOverdue = attempted.email.triedForMs > RETRY_HORIZON_MS;
  switch (outcome.kind) {
    case 'accepted': {
      const { providerId, response } = outcome;
      const results = outcome.recipients ?? acceptedNow(attempted);
      const recipients = keepingDoubt(attempted, isOverdue ? results.map(overdue) : results).map(givenUp);
      const deferred = recipients.find(({ state }) => state === 'deferred');
      if (!deferred) return { kind: 'sent', providerId, recipients, ...(response !== undefined && { response }) };
      // Deferred recipients are retried alone before the email counts as sent.
      const reason = deferred.reason ?? 'Some recipients were deferred';
      return { ...retry(attempted, reason), providerId, recipients: [...recipients, ...provenBefore(attempted)] };
    }
    case 'refused':
      return fail(attempted, outcome.reason, outcome.recipients);
    case 'retry': {
      const { reason, afterMs } = outcome;
      if (isOverdue) return fail(attempted, reason, outcome.recipients);
      const recipients = keepingDoubt(attempted, outcome.recipients ?? []);
      // Recipients that were refused for good are not tried again.
      return { ...retry(attempted, reason, afterMs), ...(recipients.length > 0 && { recipients }) };
    }
    case 'throttled':
    case 'credential-refused': {
      if (isOverdue) return fail(attempted, outcome.reason);
      const { milliseconds: delayMs } = providerPauseAfter(outcome)!;
      // A second copy can only go through the provider of the first one.
      const mayBeHeld = attempted.isForOwnProviders === true && !attempted.email.possibleDuplicate;
      const isHeld = mayBeHeld && outcome.kind === 'credential-refused';
      return { kind: 'retry', reason: outcome.reason, delayMs, countsAsAttempt: false, ...(isHeld && { isHeld }) };
    }
    case 'ambiguous':
      return resendOnce(attempted, outcome.reason, keepingDoubt(attempted, withSeparate(attempted, outcome)));
  }
}

/** The pause of the provider that an outcome begins, for all emails. */
export function providerPauseAfter(
  outcome: DeliveryOutcome,
): { readonly milliseconds: number; readonly cause: PauseCause } | undefined {
  if (outcome.kind === 'throttled') return { milliseconds: outcome.pauseMs, cause: outcome.kind };
  if (outcome.kind === 'credential-refused') return { milliseconds: CREDENTIAL_PAUSE_MS, cause: outcome.kind };
  return undefined;
}

/**
 * A certain failure of the last attempt says nothing about an earlier one whose outcome is unknown: operators find the
 * email, or its recipients in doubt, among those (`email doubtful list`).
 */
function fail(attempted: AttemptedEmail, reason: string, results?: readonly RecipientResult[]): DeliveryDecision {
  return end(attempted, attempted.email.possibleDuplicate ? inDoubt(reason) : reason, results);
}

/** An email that reached a recipient counts as sent, regardless of the others. */
function end(attempted: AttemptedEmail, reason: string, known: readonly RecipientResult[] = []): Final {
  const { email } = attempted;
  const results = known.map(givenUp);
  if (!email.reached) return { kind: 'failed', reason, recipients: keepingDoubt(attempted, results) };
  const recipients = email.message.envelopeRecipients.map((address): RecipientResult => {
    const result = results.find((one) => one.address === address);
    return { reason, ...result, address, state: 'refused' };
  });
  return { kind: 'sent', providerId: email.providerId ?? email.id, recipients: keepingDoubt(attempted, recipients) };
}

function retry({ attempt, random }: AttemptedEmail, reason: string, notBeforeMs = 0) {
  const delayMs = Math.max(notBeforeMs, emailRetryDelayMs(attempt, random));
  return { kind: 'retry', reason, delayMs, countsAsAttempt: true } as const;
}

/** @param known results of recipients who did not share the message, or are not tried again */
function resendOnce(attempted: AttemptedEmail, reason: string, known: readonly RecipientResult[]): DeliveryDecision {
  const { email, resendAfterMs: delayMs } = attempted;
  // The next run counts it as sent, with its links.
  if (email.reported)
    return { ...resendUnknownOutcome(reason, 0, known), ...(email.possibleDuplicate && { isSecondDoubt: true }) };
  if (email.possibleDuplicate || delayMs === undefined) return end(attempted, `${UNKNOWN_OUTCOME}: ${reason}`, known);
  return resendUnknownOutcome(reason, delayMs, known);
}

function resendUnknownOutcome(reason: string, delayMs: number, recipients: readonly RecipientResult[]) {
  const known = recipients.length > 0 && { recipients };
  return { kind: 'retry', reason, delayMs, countsAsAttempt: true, possibleDuplicate: true, ...known } as const;
}
