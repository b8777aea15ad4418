import type { RecipientResult } from '../hand-over-result.js';
import {
  envelopeAddress,
  isDeferral,
  MESSAGE_STEPS,
  reasonOf,
  smtpStatusOf,
  type SmtpFailure,
} from './smtp-failure.js';

/** The result for each of `recipients`. Undefined when the server accepted all of them. */
export function recipientResults(
  recipients: readonly string[],
  failures: readonly SmtpFailure[] = [],
): readonly RecipientResult[] | undefined {
  if (failures.length === 0) return undefined;
  const failureOf = new Map(failures.map((failure) => [envelopeAddress(failure.recipient ?? ''), failure]));
  return recipients.map((address) => {
    const failure = failureOf.get(envelopeAddress(address));
    return failure ? failedResult(address, failure) : { address, state: 'accepted' };
  });
}

/**
 * The results that are known of a message that the server accepted for none of `recipients`. Undefined when no reply is
 * about a recipient. A refusal after DATA is about a recipient only if no other one is left.
 */
export function failedResults(
  recipients: readonly string[],
  failure: SmtpFailure,
): readonly RecipientResult[] | undefined {
  const { rejectedErrors = [], command, code = '', responseCode } = failure;
  const isAboutMessage = responseCode !== undefined && MESSAGE_STEPS.includes(code) && command !== 'MAIL FROM';
  const known = new Map(recipientResults(recipients, rejectedErrors)?.map((result) => [result.address, result]));
  const isLeft = (address: string): boolean => (known.get(address)?.state ?? 'accepted') === 'accepted';
  const isAboutOne = isAboutMessage && recipients.filter(isLeft).length === 1;
  const results = recipients.flatMap((address) => {
    if (!isLeft(address)) return [known.get(address)!];
    return isAboutOne ? [failedResult(address, failure)] : [];
  });
  return results.length > 0 ? results : undefined;
}

function failedResult(address: string, failure: SmtpFailure): RecipientResult {
  const smtpStatus = smtpStatusOf(failure);
  return {
    address,
    state: isDeferral(failure) ? 'deferred' : 'refused',
    reason: reasonOf(failure),
    ...(smtpStatus !== undefined && { smtpStatus }),
  };
}
