import { isTransientDatabaseError } from '../../platform/database/transient-error.js';
import { DomainError, type DomainErrorKind } from '../../platform/errors/domain-error.js';
import { SmtpRefusal } from '../../platform/smtp-server/smtp-refusal.js';
import { InternationalAddressError, RecipientsSuppressedError } from '../email-errors.js';
import { RequestStillRunningError } from '../idempotency/idempotency-errors.js';

/** The reply code for problems that are ours. */
export const TRY_AGAIN = 451;
/** The reply code and the enhanced status code (RFC 3463) of every kind of problem. */
const CODES: Readonly<Record<DomainErrorKind, readonly [code: number, enhanced: string]>> = {
  invalid: [554, '5.6.0'],
  unauthorized: [535, '5.7.8'],
  forbidden: [550, '5.7.1'],
  'not-found': [550, '5.1.1'],
  timeout: [451, '4.4.2'],
  conflict: [554, '5.5.0'],
  'too-large': [552, '5.3.4'],
  'unsupported-body': [554, '5.6.0'],
  unprocessable: [554, '5.6.0'],
  'too-many-requests': [450, '4.7.1'],
  'delivery-failed': [554, '5.0.0'],
  unavailable: [TRY_AGAIN, '4.3.0'],
};
/** Longer lines than this are not for mail programs to show (RFC 5321, 4.5.3.1.5). */
const MAX_TEXT = 400;

/** The reply to a client for an error; `undefined` for one that nobody expected. */
export function smtpRefusalOf(error: unknown): SmtpRefusal | undefined {
  if (error instanceof SmtpRefusal) return error;
  if (error instanceof RecipientsSuppressedError) return refusal([550, '5.7.1'], error.message);
  if (error instanceof InternationalAddressError) return refusal([553, '5.6.7'], error.message);
  if (error instanceof RequestStillRunningError) return refusal([451, '4.5.0'], error.message);
  if (error instanceof DomainError) {
    const { retryAfterSeconds } = error;
    const wait = retryAfterSeconds === undefined ? '' : ` (try again in ${retryAfterSeconds} s)`;
    return refusal(CODES[error.kind], `${error.message}${wait}`);
  }
  return isTransientDatabaseError(error) ? tryAgain() : undefined;
}

/** For errors that are ours: the client repeats the message. */
export function tryAgain(): SmtpRefusal {
  return new SmtpRefusal(TRY_AGAIN, '4.3.0 The service is temporarily unavailable, please try again');
}

function refusal([code, enhanced]: readonly [number, string], text: string): SmtpRefusal {
  const line = text.replace(/[^\x20-\x7e]+/g, ' ');
  return new SmtpRefusal(code, `${enhanced} ${line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}...` : line}`);
}
