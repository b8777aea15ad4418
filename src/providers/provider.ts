import type { KeyObject } from 'node:crypto';
import type { RecipientResult } from './hand-over-result.js';
import type { MessagePieces } from './message-pieces.js';

/**
 * The interface between the worker and the services that deliver mail. A provider never throws for a delivery failure
 * and never decides about retries. It returns the outcome as a value.
 */
export interface DeliveryProvider {
  readonly name: string;
  /** True when the provider signs with the key in `OutgoingEmail.dkim`. Other providers sign with their own keys. */
  readonly signsWithDkim?: boolean;
  /** Delivers one message once `handOver` allows it. `signal` is the overall deadline. */
  deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome>;
  close(): Promise<void>;
  /**
   * Makes a call without an email, which the provider refuses if it works. Absent if a delivery shows whether it works
   * before the message is complete.
   */
  callWithoutEmail?(signal: AbortSignal): Promise<DeliveryOutcome>;
  /** How it takes several emails of one message in one call. If absent, each email needs a separate call. */
  readonly batch?: BatchDelivery;
}

/** Delivers one message to several recipients, each of whom gets a separate email. */
export interface BatchDelivery {
  /** Maximum number of emails per call. */
  readonly maxRecipients: number;
  /** False for an email that must be delivered alone. */
  takes(recipient: BatchRecipient, message: BatchMessage): boolean;
  /**
   * Delivers once `handOver` has returned the recipients. All emails share one outcome: `refused` means that none was
   * accepted, perhaps because of a single one. An aborted call returns any outcome.
   */
  deliver(
    message: BatchMessage,
    recipients: readonly BatchRecipient[],
    signal: AbortSignal,
    handOver: BatchHandOver,
  ): Promise<DeliveryOutcome>;
}

/**
 * Like `HandOver`, for each of the recipients in order. Those with false must get nothing; if all are false, the call
 * must be aborted.
 */
export type BatchHandOver = () => Promise<readonly boolean[]>;

/** The common parts of the emails of one call. */
export interface BatchMessage extends Pick<OutgoingEmail, 'from' | 'replyTo'> {
  readonly organizationId: string;
  /** With tags for the parts that differ between recipients. */
  readonly html: string;
  readonly text: string;
  readonly tags: readonly string[];
}

/** One email of such a call. */
export interface BatchRecipient extends Pick<OutgoingEmail, 'emailId' | 'attempt' | 'messageId' | 'subject'> {
  readonly to: Mailbox;
  readonly unsubscribeUrl: string;
  /** The values of the tags, in their order. */
  readonly values: readonly string[];
}

/**
 * Claims the email for this delivery. A provider awaits it as late as its protocol allows, right before it sends the
 * bytes that complete the message. Only a crash after that makes the outcome unknown. On false, the provider must
 * abort, and its result is ignored. Never rejects. A second call returns the result of the first.
 */
export type HandOver = () => Promise<boolean>;

/** A file that comes with a message. */
export interface OutgoingAttachment {
  readonly filename: string;
  readonly contentType: string;
  /** For an inline image: the HTML refers to it by this ID. Without angle brackets. */
  readonly contentId: string | null;
  /** In bytes. */
  readonly size: number;
  /** Reads the content from its beginning, in pieces, `size` bytes in all. @throws UnreadableAttachmentError */
  readonly read: () => AsyncIterable<Buffer>;
}

/** The content of an attachment is missing, or the database is unavailable. */
export class UnreadableAttachmentError extends Error {
  readonly code = 'EATTACHMENT';

  constructor(options?: ErrorOptions) {
    super('An attachment could not be read', options);
  }
}

/** A signing key whose public half is published under `<selector>._domainkey.<domain>` (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** RSA. A KeyObject never prints its key. */
  readonly privateKey: KeyObject;
}

export interface Mailbox {
  readonly address: string;
  readonly name?: string;
}

export interface OutgoingEmail {
  /** Our ID of the email. Sent with the message if the provider supports it. */
  readonly emailId: string;
  /** The organization whose domains may sign the message. */
  readonly organizationId?: string;
  /** Number of delivery attempts so far, including this one. Sent together with the ID. */
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
  /** Empty for a text-only message. */
  readonly html: string;
  /** Empty when the HTML shows no text. */
  readonly text: string;
  /** Set for an email of a broadcast: the parts from which `html` and `text` are composed. */
  readonly pieces?: MessagePieces;
  /** Custom headers of the sender, by name. Printable ASCII. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly OutgoingAttachment[];
  /** Address of the List-Unsubscribe header, for mail from which its only recipient may unsubscribe with one click. */
  readonly unsubscribeUrl?: string;
  /**
   * Recipients of this attempt. Fewer than to + cc + bcc when an earlier attempt already reached some of them. The
   * headers always show all of to and cc.
   */
  readonly envelopeRecipients: readonly string[];
  /**
   * The addresses of to, cc and bcc as they were accepted, if one of these recipients has been erased since. Return
   * paths name positions among them.
   */
  readonly acceptedAddresses?: readonly string[];
  /** Tracking ID of the email. Providers that set their own envelope sender do not need it. */
  readonly trackingId?: string;
  /** Envelope sender, where bounces go. Absent: the address of `from`. */
  readonly returnPath?: string;
  /** Absent when the sender's domain is not verified. */
  readonly dkim?: DkimKey;
}

export type DeliveryOutcome =
  /**
   * The provider accepted the message, with its `response`, from `readableAcceptance`. `recipients` is absent
   * when it accepted all of them.
   */
  | {
      readonly kind: 'accepted';
      readonly providerId: string;
      readonly response?: string;
      readonly recipients?: readonly RecipientResult[];
    }
  /**
   * Permanent failure: do not retry. `about` is set when the provider refuses this sender, `recipients` when it refuses
   * each recipient.
   */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly about?: 'sender';
      readonly recipients?: readonly RecipientResult[];
    }
  /**
   * Transient failure, certainly not accepted: retry, not before `afterMs` if given. `recipients` is set when it is
   * permanent for some of them, `unreachable` when there was no connection to the provider, `untried` when the email
   * did not get as far as needing one.
   */
  | {
      readonly kind: 'retry';
      readonly reason: string;
      readonly afterMs?: number;
      readonly unreachable?: true;
      readonly untried?: true;
      readonly recipients?: readonly RecipientResult[];
    }
  /** Certainly not accepted, and the credential must pause for `pauseMs`. Does not count as an attempt. */
  | { readonly kind: 'throttled'; readonly reason: string; readonly pauseMs: number }
  /** The provider refused the credential, not the email. Does not count as an attempt. */
  | { readonly kind: 'credential-refused'; readonly reason: string }
  /**
   * An unknown outcome: a timeout or lost connection after the message was written. It may have been accepted.
   * `recipients` has those for whom it certainly was not.
   */
  | { readonly kind: 'ambiguous'; readonly reason: string; readonly recipients?: readonly RecipientResult[] };

/** The custom header in which a sender can set the ID of its message, with angle brackets. */
export const MESSAGE_ID_HEADER = 'Message-ID';
