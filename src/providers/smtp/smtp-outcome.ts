import { domainToASCII } from 'node:url';
import type { DeliveryOutcome, RecipientResult } from '../provider.js';
import { readableReason } from '../reason.js';

/** What nodemailer says about a failed step, as far as it matters here. */
export interface SmtpFailure extends Error {
  readonly code?: string;
  /** The code of the system error behind `code`, such as ECONNREFUSED. */
  readonly originalCode?: string;
  readonly response?: string;
  readonly responseCode?: number;
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
const CREDENTIAL_REPLIES = [530, 534, 535, 538];

/**
 * What a failure means. `contentStarted` says whether any of the content that follows DATA was written: from
 * there on, silence or a cut does not tell whether the server took the message (RFC 1047).
 */
export function outcomeOfFailure(failure: SmtpFailure, contentStarted: boolean): DeliveryOutcome {
  const reason = reasonOf(failure);
  const { code = '', responseCode } = failure;
  if (responseCode === undefined) {
    if (CREDENTIAL_STEPS.includes(code)) return { kind: 'credential-refused', reason };
    if (contentStarted) return { kind: 'ambiguous', reason };
    return { kind: MESSAGE_STEPS.includes(code) ? 'refused' : 'retry', reason };
  }
  if (isDeferral(failure)) return { kind: 'retry', reason };
  if (CREDENTIAL_STEPS.includes(code) || CREDENTIAL_REPLIES.includes(responseCode)) {
    return { kind: 'credential-refused', reason };
  }
  if (responseCode < 500) return { kind: contentStarted ? 'ambiguous' : 'retry', reason };
  return { kind: contentStarted || MESSAGE_STEPS.includes(code) ? 'refused' : 'retry', reason };
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
