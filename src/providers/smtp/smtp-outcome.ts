import { domainToASCII } from 'node:url';
import type { DeliveryOutcome, OutgoingEmail, RecipientResult } from '../provider.js';
import { readableReason } from '../failure-reason.js';

/** What nodemailer says about a failed step, as far as it matters here. */
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

/** What nodemailer says about a message the server took. */
export interface SmtpAcceptance {
  readonly response?: string;
  readonly rejectedErrors?: readonly SmtpFailure[];
}

/** Steps whose failure is about this message; all others are about the connection or the session. */
const MESSAGE_STEPS = ['EENVELOPE', 'EMESSAGE'];
const CREDENTIAL_STEPS = ['EAUTH', 'ENOAUTH', 'EOAUTH2'];
/** Authentication required, refused, too weak, or wanting encryption (RFC 4954, 6). */
const AUTHENTICATION_REPLIES = [530, 534, 535, 538];
/** Bad sender address, bad sender system (RFC 3463, 3.2), and Exchange's "no permission to send as this sender". */
const SENDER_STATUS = /^\d{3}[ -]5\.(1\.[78]|7\.60)\b/;

/** What a failure is about. */
export type FailedEmail = Pick<OutgoingEmail, 'from' | 'envelopeRecipients'>;

/** How much of the content that follows DATA has left. */
export interface ContentProgress {
  readonly hasBegun: boolean;
  /** The end of the content left, or is about to. */
  readonly isComplete: boolean;
}

const NO_CONTENT: ContentProgress = { hasBegun: false, isComplete: false };

/**
 * What a failure means. Once the content is complete, silence or a cut does not tell whether the server took the
 * message (RFC 1047); before that it cannot have (RFC 5321, 4.1.1.4).
 * Only a failed AUTH is about the credential. A reply to a later command, whatever its code, may be about a sender or
 * a recipient that somebody chose, and must not hold the mail of others.
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
  // A session that lost its login, or a server that was set up wrongly: no email is to blame, and none is lost.
  if (command === 'MAIL FROM' && AUTHENTICATION_REPLIES.includes(responseCode)) return { kind: 'retry', reason };
  return { kind: 'refused', reason };
}

/** Servers may refuse a sender as late as at a recipient; then only its whole address shows that it is meant. */
function isAboutSender({ command, response = '' }: SmtpFailure, { from, envelopeRecipients }: FailedEmail): boolean {
  if (SENDER_STATUS.test(response)) return true;
  const [text, sender] = [response.toLowerCase(), onTheWire(from.address).toLowerCase()];
  if (command === 'MAIL FROM') return text.includes(sender.slice(sender.lastIndexOf('@') + 1));
  const isRecipient = envelopeRecipients.some((address) => onTheWire(address).toLowerCase() === sender);
  return !isRecipient && text.includes(sender);
}

/** What became of each of `recipients`; absent when the server took all of them. */
export function recipientResults(
  recipients: readonly string[],
  { rejectedErrors = [] }: SmtpAcceptance,
): readonly RecipientResult[] | undefined {
  if (rejectedErrors.length === 0) return undefined;
  const failures = new Map(rejectedErrors.map((failure) => [onTheWire(failure.recipient ?? ''), failure]));
  return recipients.map((address) => {
    const failure = failures.get(onTheWire(address));
    if (!failure) return { address, state: 'accepted' };
    return { address, state: isDeferral(failure) ? 'deferred' : 'refused', reason: reasonOf(failure) };
  });
}

/** The id under which the server queued the message, as the common servers write it, else our Message-ID. */
export function providerIdOf({ response = '' }: SmtpAcceptance, messageId: string): string {
  const id =
    /\bqueued as <?([\w.-]+)/i.exec(response) ?? // Postfix, SendGrid
    /^250 OK id=([\w.-]+)/i.exec(response) ?? // Exim
    /^250 2\.0\.0 ([\w.-]+) Message accepted for delivery/i.exec(response) ?? // Sendmail
    /^250 Ok ([0-9a-f-]{20,})$/i.exec(response); // Amazon SES
  return id?.[1]?.slice(0, 200) ?? messageId;
}

/** 4yz is transient (RFC 5321, 4.2.1); so are 503, which is about the session, and 552 for too many recipients (4.5.3.1.10). */
function isDeferral({ responseCode = 0, response = '' }: SmtpFailure): boolean {
  if (responseCode >= 400 && responseCode < 500) return true;
  return responseCode === 503 || (responseCode === 552 && /too many recipients/i.test(response));
}

function reasonOf({ code, originalCode, response }: SmtpFailure): string {
  if (response) return readableReason(`The SMTP server answered: ${response}`);
  return readableReason(`${whatFailed(code)} (${originalCode ?? code ?? 'unknown cause'})`);
}

function whatFailed(code: string | undefined): string {
  switch (code) {
    case 'EABORT':
    case 'ETIMEDOUT':
      return 'The SMTP server did not answer in time';
    case 'EDNS':
      return 'The name of the SMTP server could not be resolved';
    case 'ETLS':
      return 'No secure connection to the SMTP server';
    case 'EAUTH':
    case 'ENOAUTH':
      return 'The SMTP server asks for credentials';
    case 'EENVELOPE':
    case 'EMESSAGE':
      return 'The message cannot be sent through this SMTP server';
    default:
      return 'The connection to the SMTP server failed';
  }
}

/** Domains are written as A-labels in the envelope, so that is how addresses are compared. */
function onTheWire(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}
