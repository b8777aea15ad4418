import type { RecipientResult } from '../hand-over-result.js';
import type { ProviderResponse } from '../http/provider-response.js';
import type { DeliveryOutcome } from '../provider.js';
import { outcomeOfResult, postmarkOutcome } from './postmark-response.js';

type Failure = Exclude<DeliveryOutcome, { kind: 'accepted' }>;

/** The recipients of a batch: each gets a separate message, with the same Message-ID. */
export interface SentPostmarkBatch {
  readonly recipients: readonly string[];
  /** Recipients for whom there was no place in the call. */
  readonly left: readonly string[];
  readonly messageId: string;
}

/**
 * Maps the response to a batch, which has one result for each message in order. The outcome is accepted if one message
 * was. Then the results say which recipients have to be tried again.
 */
export function outcomeOfBatch(response: ProviderResponse, batch: SentPostmarkBatch, now: number): DeliveryOutcome {
  const { status, body } = response;
  const { recipients, left, messageId } = batch;
  if (status < 200 || status >= 300) return postmarkOutcome(response, batch, now);
  if (!Array.isArray(body) || body.length !== recipients.length) {
    return { kind: 'ambiguous', reason: `Postmark responded with ${status}, but not for each message` };
  }
  const outcomes = recipients.map((address, index) =>
    outcomeOfResult(status, body[index], { recipients: [address], messageId }),
  );
  const results = recipients.map((address, index) => resultOf(address, outcomes[index]!));
  const accepted = outcomes.find((outcome) => outcome.kind === 'accepted');
  if (!accepted) return failureOf(outcomes as Failure[], results, left);
  const waiting = left.map((address) => deferred(address, 'Postmark takes 50 MB in one call'));
  const all = [...results, ...waiting];
  return { ...accepted, ...(all.some(({ state }) => state !== 'accepted') && { recipients: all }) };
}

/**
 * None was accepted. If one may have been, the outcome is ambiguous, so that no retry sends it again without a flag;
 * those who were refused for good are in no doubt. If all were refused for good, so is the email, unless recipients are
 * left. Any other failure makes the email wait.
 */
function failureOf(
  outcomes: readonly Failure[],
  results: readonly RecipientResult[],
  left: readonly string[],
): DeliveryOutcome {
  const other = outcomes.find(({ kind }) => kind === 'ambiguous') ?? outcomes.find(({ kind }) => kind !== 'refused');
  const refused = results.filter(({ state }) => state === 'refused');
  const [first] = outcomes as [Failure];
  if (other?.kind === 'retry' || other?.kind === 'ambiguous')
    return { ...other, ...(refused.length > 0 && { recipients: refused }) };
  if (other) return other;
  if (left.length > 0) return { kind: 'retry', reason: first.reason, recipients: refused };
  return { ...first, recipients: refused } as DeliveryOutcome;
}

function resultOf(address: string, outcome: DeliveryOutcome): RecipientResult {
  if (outcome.kind === 'accepted') return outcome.recipients?.[0] ?? { address, state: 'accepted' };
  if (outcome.kind === 'refused') return { address, state: 'refused', reason: outcome.reason };
  return { ...deferred(address, outcome.reason), ...(outcome.kind === 'ambiguous' && { isUnknown: true }) };
}

function deferred(address: string, reason: string): RecipientResult {
  return { address, state: 'deferred', reason };
}
