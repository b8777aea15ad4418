import type { DeliveryOutcome, OutgoingEmail } from '../provider.js';
import { failedResults } from './recipient-results.js';
import { envelopeAddress, isDeferral, MESSAGE_STEPS, reasonOf, type SmtpFailure } from './smtp-failure.js';

/** The relevant fields of nodemailer's result for an accepted message. */
export interface SmtpAcceptance {
  readonly response?: string;
  readonly rejectedErrors?: readonly SmtpFailure[];
}

const ATTACHMENT_STEPS = ['EATTACHMENT', 'ESTREAM'];
const CREDENTIAL_STEPS = ['EAUTH', 'ENOAUTH', 'EOAUTH2'];
/** Authentication required, refused, too weak, or encryption required (RFC 4954, 6). */
const AUTHENTICATION_REPLIES = [530, 534, 535, 538];
/** Bad sender address, bad sender system (RFC 3463, 3.2), and Exchange's "no permission to send as this sender". */
const SENDER_STATUS = /^\d{3}[ -]5\.(1\.[78]|7\.60)\b/;
/** Bad or disabled mailbox, bad system (RFC 3463, 3.2 and 3.3), and Exchange's "recipient not found". */
const RECIPIENT_STATUS = /^\d{3}[ -]5\.(1\.([1236]|10)|2\.1)\b/;
/** Status codes about an envelope sender: a bad address (RFC 3463, 3.2), or one that the server's policy refuses. */
const RETURN_PATH_STATUS = /^\d{3}[ -]5\.(1\.[78]|7\.\d+)\b/;

/** The parts of an email that classify a failure. */
export type FailedEmail = Pick<OutgoingEmail, 'from' | 'envelopeRecipients' | 'returnPath'>;

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
  const recipients = failedResults(email.envelopeRecipients, failure);
  if (responseCode === undefined) {
    if (CREDENTIAL_STEPS.includes(code)) return { kind: 'credential-refused', reason };
    if (isComplete) return { kind: 'ambiguous', reason, ...(recipients && { recipients }) };
    if (MESSAGE_STEPS.includes(code)) return { kind: 'refused', reason };
    const isUnreachable = !hasBegun && !ATTACHMENT_STEPS.includes(code);
    return { kind: 'retry', reason, ...(isUnreachable && { unreachable: true }) };
  }
  if (isDeferral(failure)) {
    const isFinalForSome = recipients?.some(({ state }) => state === 'refused');
    return { kind: 'retry', reason, ...(isFinalForSome && { recipients }) };
  }
  if (CREDENTIAL_STEPS.includes(code)) return { kind: 'credential-refused', reason };
  if (responseCode < 500) return { kind: isComplete ? 'ambiguous' : 'retry', reason };
  if (!hasBegun && !MESSAGE_STEPS.includes(code)) return { kind: 'retry', reason };
  // An operator must correct this; nothing is wrong with the email.
  if (isAboutReturnPath(failure, email)) return { kind: 'retry', reason };
  if (isAboutSender(failure, email)) return { kind: 'refused', reason, about: 'sender' };
  // The session lost its login or the server is misconfigured. The email is not at fault, so it is retried.
  if (command === 'MAIL FROM' && AUTHENTICATION_REPLIES.includes(responseCode)) return { kind: 'retry', reason };
  return { kind: 'refused', reason, ...(recipients && { recipients }) };
}

/** The server refuses our own envelope sender. It may do so only in the reply to a recipient. */
function isAboutReturnPath(failure: SmtpFailure, { returnPath }: FailedEmail): boolean {
  const { command, response = '' } = failure;
  if (returnPath === undefined || isAboutRecipient(failure)) return false;
  const text = response.toLowerCase();
  if (text.includes(returnPath)) return true;
  if (command !== 'MAIL FROM') return /^\d{3}[ -]5\.1\.[78]\b/.test(response);
  return RETURN_PATH_STATUS.test(response) || text.includes(returnPath.slice(returnPath.lastIndexOf('@') + 1));
}

/** Some servers also name the sender, such as in a footer of all their refusals. */
function isAboutRecipient({ command, response = '' }: SmtpFailure): boolean {
  return command !== 'MAIL FROM' && RECIPIENT_STATUS.test(response);
}

/**
 * Servers may refuse a sender only in the reply to a recipient. Then the reply must contain the sender's full address.
 */
function isAboutSender(failure: SmtpFailure, { from, envelopeRecipients }: FailedEmail): boolean {
  const { command, response = '' } = failure;
  if (SENDER_STATUS.test(response)) return true;
  if (isAboutRecipient(failure)) return false;
  const [text, sender] = [response.toLowerCase(), envelopeAddress(from.address).toLowerCase()];
  if (command === 'MAIL FROM') return text.includes(sender.slice(sender.lastIndexOf('@') + 1));
  const isRecipient = envelopeRecipients.some((address) => envelopeAddress(address).toLowerCase() === sender);
  return !isRecipient && text.includes(sender);
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
