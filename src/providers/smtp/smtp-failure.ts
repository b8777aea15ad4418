import { domainToASCII } from 'node:url';
import { enhancedStatusOf } from '../enhanced-status.js';
import { readableReason } from '../failure-reason.js';
import { REFUSED_TARGET } from './mail-server-sockets.js';

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
  /** The failures of the recipients that the server refused before it refused the message. */
  readonly rejectedErrors?: readonly SmtpFailure[];
}

/** Error codes that concern the message. All others concern the connection or the session. */
export const MESSAGE_STEPS = ['EENVELOPE', 'EMESSAGE'];

/** 4yz is transient (RFC 5321, 4.2.1). So are 503, a session error, and 552 for too many recipients (4.5.3.1.10). */
export function isDeferral({ responseCode = 0, response = '' }: SmtpFailure): boolean {
  if (responseCode >= 400 && responseCode < 500) return true;
  return responseCode === 503 || (responseCode === 552 && /too many recipients/i.test(response));
}

/** The enhanced status code of the reply. Undefined if the reply has none. */
export function smtpStatusOf({ response = '' }: SmtpFailure): string | undefined {
  return enhancedStatusOf(response);
}

/** Describes the failure to the sender of the email. */
export function reasonOf({ code, originalCode, response, message }: SmtpFailure): string {
  if (code === REFUSED_TARGET) return readableReason(`The SMTP server ${message}`);
  if (response) return readableReason(`The SMTP server responded: ${response}`);
  return readableReason(`${describeFailure(code)} (${originalCode ?? code ?? 'unknown cause'})`);
}

function describeFailure(code: string | undefined): string {
  switch (code) {
    case 'EABORT':
    case 'ETIMEDOUT':
      return 'The SMTP server did not respond in time';
    case 'EATTACHMENT':
    case 'ESTREAM':
      return 'An attachment could not be read';
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
export function envelopeAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}
