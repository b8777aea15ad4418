import { domainToASCII } from 'node:url';
import type { DeliveryOutcome, OutgoingEmail, RecipientResult } from '../provider.js';
import { readableReason } from '../failure-reason.js';

/** The relevant fields of nodemailer's errors. */
export interface SmtpFailure extends Error {
  readonly code?: string;
  /** The code of the system error behind `code`, such as ECONNREFUSED. */
  readonly originalCode?: string;
  readonly response?: string;
  readonly responseCode?: number;
  /** The command that failed, such as `MAIL FROM`. */
  readonly command?: string;
  readonly recipient?: string;
}

/** The relevant fields of nodemailer's result for an accepted message. */
export interface SmtpAcceptance {
  readonly response?: string;
  readonly rejectedErrors?: readonly SmtpFailure[];
}

/** Error codes that concern the message. All others concern the connection or the session. */
const MESSAGE_STEPS = ['EENVELOPE', 'EMESSAGE'];
const CREDENTIAL_STEPS = ['EAUTH', 'ENOAUTH', 'EOAUTH2'];
/** Authentication required, refused, too weak, or encryption required (RFC 4954, 6). */
const AUTHENTICATION_REPLIES = [530, 534, 535, 538];
/** Bad sender address, bad sender system (RFC 3463, 3.2), and Exchange's "no permission to send as this sender". */
const SENDER_STATUS = /^\d{3}[ -]5\.(1\.[78]|7\.60)\b/;

/** The parts of an email that classify a failure. */
export type FailedEmail = Pick<OutgoingEmail, 'from' | 'envelopeRecipients'>;

/** How much of the content after DATA was sent. */
export interface ContentProgress {
  readonly hasBegun: boolean;
  /** True once the end of the content was sent or may be sent at any moment. */
  readonly isComplete: boolean;
}

const NO_CONTENT: ContentProgress = { hasBegun: false, isComplete: false };

/**
 * Maps a failure to an outcome. Once the content is complete, a timeout or lost connection leaves open whether the
 * server accepted the message (RFC 1047). Before that, it cannot have accepted it (RFC 5321, 4.1.1.4).
 * Only a failed AUTH concerns the credential. A reply to a later command may concern a sender or recipient that a
 * client chose, so it must not pause the mail of other organizations.
 */
export function outcomeOfFailure(
  failure: SmtpFailure,
  progress: ContentProgress | undefined,
  email: FailedEmail,
): DeliveryOutcome {
  const { hasBegun, isComplete } = progress ?? NO_CONTENT;
  const reason = reasonOf(failure);
  const { code = '', command, responseCode } = failure;
  if (responseCode === undefined) {
    if (CREDENTIAL_STEPS.includes(code)) return { kind: 'credential-refused', reason };
    if (isComplete) return { kind: 'ambiguous', reason };
    return { kind: MESSAGE_STEPS.includes(code) ? 'refused' : 'retry', reason };
  }
  if (isDeferral(failure)) return { kind: 'retry', reason };
  if (CREDENTIAL_STEPS.includes(code)) return { kind: 'credential-refused', reason };
  if (responseCode < 500) return { kind: isComplete ? 'ambiguous' : 'retry', reason };
  if (!hasBegun && !MESSAGE_STEPS.includes(code)) return { kind: 'retry', reason };
  if (isAboutSender(failure, email)) return { kind: 'refused', reason, about: 'sender' };
  // The session lost its login or the server is misconfigured. The email is not at fault, so it is retried.
  if (command === 'MAIL FROM' && AUTHENTICATION_REPLIES.includes(responseCode)) return { kind: 'retry', reason };
  return { kind: 'refused', reason };
}

/** Servers may refuse a sender only in the reply to a recipient. Then the reply must contain the sender's full address. */
function isAboutSender({ command, response = '' }: SmtpFailure, { from, envelopeRecipients }: FailedEmail): boolean {
  if (SENDER_STATUS.test(response)) return true;
  const [text, sender] = [response.toLowerCase(), envelopeAddress(from.address).toLowerCase()];
  if (command === 'MAIL FROM') return text.includes(sender.slice(sender.lastIndexOf('@') + 1));
  const isRecipient = envelopeRecipients.some((address) => envelopeAddress(address).toLowerCase() === sender);
  return !isRecipient && text.includes(sender);
}

/** The result for each of `recipients`. Undefined when the server accepted all of them. */
export function recipientResults(
  recipients: readonly string[],
  { rejectedErrors = [] }: SmtpAcceptance,
): readonly RecipientResult[] | undefined {
  if (rejectedErrors.length === 0) return undefined;
  const failures = new Map(rejectedErrors.map((failure) => [envelopeAddress(failure.recipient ?? ''), failure]));
  return recipients.map((address) => {
    const failure = failures.get(envelopeAddress(address));
    if (!failure) return { address, state: 'accepted' };
    return { address, state: isDeferral(failure) ? 'deferred' : 'refused', reason: reasonOf(failure) };
  });
}

/** Extracts the queue ID from the replies of common servers. Falls back to our Message-ID. */
export function providerIdOf({ response = '' }: SmtpAcceptance, messageId: string): string {
  const id =
    /\bqueued as <?([\w.-]+)/i.exec(response) ?? // Postfix, SendGrid
    /^250 OK id=([\w.-]+)/i.exec(response) ?? // Exim
    /^250 2\.0\.0 ([\w.-]+) Message accepted for delivery/i.exec(response) ?? // Sendmail
    /^250 Ok ([0-9a-f-]{20,})$/i.exec(response); // Amazon SES
  return id?.[1]?.slice(0, 200) ?? messageId;
}

/** 4yz is transient (RFC 5321, 4.2.1). So are 503, a session error, and 552 for too many recipients (4.5.3.1.10). */
function isDeferral({ responseCode = 0, response = '' }: SmtpFailure): boolean {
  if (responseCode >= 400 && responseCode < 500) return true;
  return responseCode === 503 || (responseCode === 552 && /too many recipients/i.test(response));
}

function reasonOf({ code, originalCode, response }: SmtpFailure): string {
  if (response) return readableReason(`The SMTP server responded: ${response}`);
  return readableReason(`${describeFailure(code)} (${originalCode ?? code ?? 'unknown cause'})`);
}

function describeFailure(code: string | undefined): string {
  switch (code) {
    case 'EABORT':
    case 'ETIMEDOUT':
      return 'The SMTP server did not respond in time';
    case 'EDNS':
      return 'The host name of the SMTP server could not be resolved';
    case 'ETLS':
      return 'The TLS connection to the SMTP server failed';
    case 'EAUTH':
    case 'ENOAUTH':
      return 'The SMTP server requires valid credentials';
    case 'EENVELOPE':
    case 'EMESSAGE':
      return 'The message cannot be sent through this SMTP server';
    default:
      return 'The connection to the SMTP server failed';
  }
}

/** The address as in the envelope, which has A-labels. Used for comparisons. */
function envelopeAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}
