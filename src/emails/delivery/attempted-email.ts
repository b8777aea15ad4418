import type { LoadedEmail } from './loaded-email.js';

/** What the decision about an email after an attempt depends on, apart from the outcome. */
export interface AttemptedEmail {
  readonly email: Pick<
    LoadedEmail,
    | 'id'
    | 'triedForMs'
    | 'possibleDuplicate'
    | 'reached'
    | 'deferred'
    | 'proven'
    | 'reported'
    | 'areSeparate'
    | 'providerId'
  > & {
    readonly message: Pick<LoadedEmail['message'], 'envelopeRecipients'>;
  };
  /** Number of the attempt that just ended, starting at 1. */
  readonly attempt: number;
  /** True if the email goes through its organization's own providers. */
  readonly isForOwnProviders?: boolean;
  /** A number from 0 to 1 for the jitter of retries. */
  readonly random: number;
  /** The delay before the only resend of an email with an unknown outcome; undefined when it is never resent. */
  readonly resendAfterMs: number | undefined;
}
