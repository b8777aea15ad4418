import { bounceKindOf } from '../../events/feedback/bounce-kind.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import type { RecipientResult } from '../../providers/hand-over-result.js';
import type { AttemptedEmail } from './attempted-email.js';
import { inDoubt, UNKNOWN_OUTCOME } from './unknown-outcome-reason.js';

/** A recipient who is not tried again. */
export function overdue(result: RecipientResult): RecipientResult {
  return result.state === 'deferred' && !result.isUnknown ? { ...result, state: 'refused' } : result;
}

/**
 * If others have the email, a recipient with an unknown outcome gets no second copy: that would leave in doubt those
 * who are certainly deferred. Operators find it among those in doubt.
 */
export function givenUp({ isUnknown, ...result }: RecipientResult): RecipientResult {
  return isUnknown ? { ...result, state: 'refused', reason: `${UNKNOWN_OUTCOME}: ${result.reason}` } : result;
}

/**
 * The provider does not list recipients when it accepts all of them. Only results of an earlier attempt have to change.
 */
export function acceptedNow({ email: { deferred, message } }: AttemptedEmail): readonly RecipientResult[] {
  return deferred ? message.envelopeRecipients.map((address) => ({ address, state: 'accepted' })) : [];
}

/** Once the provider has accepted a copy, reports no longer prove the one before: the results take their place. */
export function provenBefore({ email: { proven } }: AttemptedEmail): readonly RecipientResult[] {
  return proven.map((address) => ({ address, state: 'accepted' }));
}

/**
 * A refused second copy says nothing about the first one, unless the refusal shows that the address does not exist,
 * which was so before.
 */
export function keepingDoubt(
  { email: { possibleDuplicate } }: AttemptedEmail,
  results: readonly RecipientResult[],
): readonly RecipientResult[] {
  if (!possibleDuplicate) return results;
  return results.map((result) => {
    const isInDoubt = result.state === 'refused' && bounceKindOf(result.smtpStatus ?? '') !== 'hard';
    return isInDoubt ? { ...result, reason: inDoubt(result.reason ?? 'refused') } : result;
  });
}

/**
 * Adds a result for each recipient who may have got a separate message, so that a report about another
 * one proves nothing.
 */
export function withSeparate(
  { email: { areSeparate, message } }: AttemptedEmail,
  { reason, recipients: known = [] }: Extract<DeliveryOutcome, { kind: 'ambiguous' }>,
): readonly RecipientResult[] {
  if (!areSeparate) return known;
  const others = message.envelopeRecipients.filter((address) => known.every((one) => one.address !== address));
  return [...known, ...others.map((address) => ({ address, state: 'deferred', reason, isUnknown: true }) as const)];
}
