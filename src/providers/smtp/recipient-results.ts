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
 * The result for each of `recipients` of a message that the server accepted for none of them. Undefined when no reply
 * is about a recipient. A refusal after DATA is about the recipient only if there is a single one.
 */
export function failedResults(
  recipients: readonly string[],
  failure: SmtpFailure,
): readonly RecipientResult[] | undefined {
  const { rejectedErrors = [], command, code = '', responseCode } = failure;
  if (rejectedErrors.length > 0) return recipientResults(recipients, rejectedErrors);
  const [only, ...others] = recipients;
  const isAboutMessage = responseCode !== undefined && MESSAGE_STEPS.includes(code) && command !== 'MAIL FROM';
  return only !== undefined && others.length === 0 && isAboutMessage ? [failedResult(only, failure)] : undefined;
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
