import type { OutgoingEmail } from '../../providers/provider.js';
import type { EmailStatus } from '../email-status.js';

/** A stored email with everything that the worker needs. */
export interface LoadedEmail {
  readonly id: string;
  readonly trackingId: string;
  readonly status: EmailStatus;
  readonly createdAt: Date;
  /** Milliseconds since the email was queued, by the Postgres clock. */
  readonly queuedForMs: number;
  /**
   * Milliseconds from its first claim, or from the last resumption of its organization by an operator, until it was due
   * again, by the same clock; 0 before a claim. The time for which it has waited since behind others does not count.
   */
  readonly triedForMs: number;
  readonly sentAt: Date | null;
  /** Milliseconds until the email is due, by the Postgres clock; 0 when it is due. */
  readonly dueInMs: number;
  /** Earlier requests to the provider that may have started. */
  readonly attempts: number;
  /** Runs that crashed while they held the email. */
  readonly crashes: number;
  /** Distinguishes the job of the email from earlier ones, and its position in the queue; 0 when it is not queued. */
  readonly generation: number;
  readonly position: number;
  readonly possibleDuplicate: boolean;
  /** ID of the provider that may have the email, while `possibleDuplicate`; null if that was not recorded. */
  readonly doubtfulProvider: string | null;
  /** ID of the provider that was called last, if one has accepted the email for some recipients. */
  readonly providerOfOthers: string | null;
  /** True once the provider accepted the email for some recipients: they have it, regardless of what follows. */
  readonly reached: boolean;
  /** True while some recipients count as deferred by an earlier attempt. */
  readonly deferred: boolean;
  /**
   * True when the outcome of an attempt is unknown and reports show that it reached all of its recipients: only the
   * response was lost.
   */
  readonly reported: boolean;
  /** Recipients without a result whom such an attempt has reached, as reports show, while others are left. */
  readonly proven: readonly string[];
  /** True when each recipient that is left may get a separate message: then a report is about its own one alone. */
  readonly areSeparate: boolean;
  /** The provider's ID from the last time it accepted the email. */
  readonly providerId: string | null;
  /** Address with which its links begin; null for BASE_URL. */
  readonly baseUrl: string | null;
  readonly html: string;
  /** The sender's own text part; null to derive it from the HTML. */
  readonly text: string | null;
  /** True once its body was deleted, see `ContentRetention`. */
  readonly isBodyGone: boolean;
  /** For an email of a broadcast: the ID of the shared message, and the recipient's own variables. */
  readonly shared?: { readonly messageId: string; readonly variables: Readonly<Record<string, unknown>> };
  /** True when its only recipient may unsubscribe from mail like this. */
  readonly unsubscribe: boolean;
  readonly message: Omit<OutgoingEmail, 'attempt' | 'html' | 'text' | 'messageId'> & {
    readonly organizationId: string;
  };
}
