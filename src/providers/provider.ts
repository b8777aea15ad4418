import type { KeyObject } from 'node:crypto';

/**
 * The one interface between the worker and whoever delivers mail. A provider never throws for a delivery
 * problem and never decides about retries: it says what happened, as a value.
 */
export interface DeliveryProvider {
  readonly name: string;
  /** True where messages bear the signature that `OutgoingEmail.dkim` asks for; other providers sign by themselves. */
  readonly signsWithDkim?: boolean;
  /** Hands over one message, within the overall deadline given by `signal`, once `handOver` allows it. */
  deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome>;
  /** Resolves when the provider can be talked to; rejects with the reason when not. Used by readiness. */
  verify?(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Claims the email for this delivery. A provider awaits it right before the bytes that complete the message leave, as
 * late as its protocol allows: only from there on can a crash of this process leave a doubt. False when the message
 * must not be completed: the provider breaks off, and what it returns then does not count. Never rejects; a second call
 * gets the result of the first.
 */
export type HandOver = () => Promise<boolean>;

/** What signs for a domain whose owner published the public half under `<selector>._domainkey.<domain>` (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** RSA. Never printed: a KeyObject shows nothing of its key. */
  readonly privateKey: KeyObject;
}

export interface Mailbox {
  readonly address: string;
  readonly name?: string;
}

export interface OutgoingEmail {
  /** Our id of the email; travels with the message where the provider allows it. */
  readonly emailId: string;
  /** Whose domains it may be signed for. */
  readonly organizationId?: string;
  /** How many delivery attempts were begun, this one included; travels beside the id. */
  readonly attempt: number;
  /** The same on every attempt, without angle brackets (RFC 5322, 3.6.4). */
  readonly messageId: string;
  readonly date: Date;
  readonly from: Mailbox;
  readonly replyTo?: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /**
   * Addresses this attempt must reach; the headers show all of to and cc all the same. Fewer than
   * to + cc + bcc when an earlier attempt already reached some of them.
   */
  readonly envelopeRecipients: readonly string[];
  /** Absent where the sender's domain is not verified. */
  readonly dkim?: DkimKey;
}

/** What became of one envelope recipient, where the provider tells them apart (SMTP does, SendGrid does not). */
export interface RecipientResult {
  readonly address: string;
  readonly state: 'accepted' | 'deferred' | 'refused';
  readonly reason?: string;
}

export type DeliveryOutcome =
  /** The provider took responsibility. `recipients` is absent when it took all of them. */
  | { readonly kind: 'accepted'; readonly providerId: string; readonly recipients?: readonly RecipientResult[] }
  /** Will never be accepted: do not try again. `about` is there when the provider takes no mail from this sender. */
  | { readonly kind: 'refused'; readonly reason: string; readonly about?: 'sender' }
  /** Certainly not accepted this time: try again, not before `afterMs` if given. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs?: number }
  /** Certainly not accepted, and the credential must pause for `pauseMs`. Burns no attempt. */
  | { readonly kind: 'throttled'; readonly reason: string; readonly pauseMs: number }
  /** The credential is refused, not the email. Burns no attempt. */
  | { readonly kind: 'credential-refused'; readonly reason: string }
  /** The message may or may not have been accepted: time-out or cut after it was written. */
  | { readonly kind: 'ambiguous'; readonly reason: string };

/** Injection token of the provider in use. */
export const PROVIDER = Symbol('delivery provider');
